/**
 * The operations that a transaction may carry; `docs/protocol.md` 4.2. One line of the table gives the tag, the
 * fields in the order of their encoding, the type of the request and the type that programs use.
 */
import { OPERATION_NONE } from '../../assembly/transaction/layout.ts';
import type { Fields } from '../base/fields.ts';
import type { Network } from '../base/networks.ts';
import { SvcError } from '../base/svc-error.ts';
import type { Writer } from '../base/writer.ts';
import {
  OPERATION_FIELDS,
  type OperationField,
  type OperationFieldName,
} from './operation-fields.ts';
import type { TransactionTable } from './table.ts';

interface OperationShape {
  readonly tag: number;
  readonly fields: readonly OperationFieldName[];
}

export const OPERATIONS = {
  bond: { tag: 1, fields: ['validatorId', 'ownerAddress', 'rewardAddress', 'amount'] },
  unbond: { tag: 2, fields: ['positionId', 'amount'] },
  withdraw: { tag: 3, fields: ['positionId'] },
  validator_register: {
    tag: 4,
    fields: [
      'ownerAddress',
      'rewardAddress',
      'amount',
      'commissionBps',
      'consensusKey',
      'endpoint',
    ],
  },
  heartbeat: { tag: 5, fields: ['validatorId', 'epoch'] },
  reward_address: { tag: 6, fields: ['positionId', 'rewardAddress'] },
  rotate_key: { tag: 7, fields: ['validatorId', 'consensusKey', 'endpoint'] },
  endpoint: { tag: 8, fields: ['validatorId', 'consensusKey', 'endpoint'] },
  commission: { tag: 9, fields: ['validatorId', 'commissionBps'] },
  exit: { tag: 10, fields: ['validatorId'] },
} as const satisfies Readonly<Record<string, OperationShape>>;

export type OperationType = keyof typeof OPERATIONS;

export const OPERATION_TYPES = Object.keys(OPERATIONS) as readonly OperationType[];

type FieldsOf<Type extends OperationType> = (typeof OPERATIONS)[Type]['fields'][number];
type Codecs = typeof OPERATION_FIELDS;

/** The `data` of a request, by operation: every field is a string. */
export type OperationData = {
  readonly [Type in OperationType]: {
    readonly [Name in FieldsOf<Type> as Codecs[Name]['name']]: string;
  };
};

export type OperationRequest = {
  [Type in OperationType]: { readonly type: Type; readonly data: OperationData[Type] };
}[OperationType];

/** Decoded operations of the given types. Amounts are above zero: the kernel refuses others. */
export type OperationOf<Types extends OperationType> = {
  [Type in Types]: { readonly type: Type } & {
    readonly [Name in FieldsOf<Type>]: ReturnType<Codecs[Name]['value']>;
  };
}[Types];

export type Operation = OperationOf<OperationType>;

type AnyField = OperationField<string, unknown, unknown>;

/** The fields of an operation, in the order of their encoding. */
function fieldsOf(type: OperationType): [OperationFieldName, AnyField][] {
  const names: readonly OperationFieldName[] = OPERATIONS[type].fields;
  return names.map((name) => [name, OPERATION_FIELDS[name] as AnyField]);
}

/** The type of a tag that the kernel has accepted. */
function operationType(tag: number): OperationType {
  const type = OPERATION_TYPES.find((candidate) => OPERATIONS[candidate].tag === tag);
  if (type === undefined) throw new RangeError(`operation ${tag}`);
  return type;
}

function expectType(operation: Fields): OperationType {
  const value = operation.string('type', 64);
  const type = OPERATION_TYPES.find((candidate) => candidate === value);
  if (type !== undefined) return type;
  throw new SvcError('unknown_operation', `expected one of ${OPERATION_TYPES.join(', ')}`, {
    path: operation.at('type'),
  });
}

/** Writes the tag, and the fields if the request has an operation. */
export function writeOperation(writer: Writer, request: Fields, network: Network): void {
  if (!request.has('operation')) {
    writer.u8(OPERATION_NONE);
    return;
  }
  const operation = request.fields('operation', ['type', 'data']);
  const type = expectType(operation);
  const fields = fieldsOf(type).map(([, field]) => field);
  const data = operation.fields(
    'data',
    fields.map(({ name }) => name),
  );
  writer.u8(OPERATIONS[type].tag);
  for (const field of fields) field.write(writer, data, network);
}

/** The operation of a decoded body or transaction, or null. */
export function decodeOperation(table: TransactionTable): Operation | null {
  if (table.operation === OPERATION_NONE) return null;
  const type = operationType(table.operation);
  const fields = fieldsOf(type);
  // Hashing a key calls the kernel, which may overwrite a passing table: every field is read before.
  const raw = fields.map(([, field]) => field.read(table));
  const entries = fields.map(([name, field], place) => [name, field.value(raw[place])]);
  return { type, ...Object.fromEntries(entries) } as Operation;
}

/** The operation of a decoded body in the shape of its request, or undefined. */
export function showOperation(
  table: TransactionTable,
  network: Network,
): OperationRequest | undefined {
  if (table.operation === OPERATION_NONE) return undefined;
  const type = operationType(table.operation);
  const entries = fieldsOf(type).map(([, field]) => [
    field.name,
    field.show(field.read(table), network),
  ]);
  return { type, data: Object.fromEntries(entries) };
}

/**
 * The ten operations: tag, and fields in the order of their encoding; `docs/protocol.md` 4.2.
 */
import type { OperationType } from './request.ts';

export type FieldKind =
  | 'subject'
  | 'owner'
  | 'reward'
  | 'amount'
  | 'commission'
  | 'epoch'
  | 'consensus_key'
  | 'endpoint';

export interface OperationField {
  readonly name: string;
  readonly kind: FieldKind;
}

export interface OperationShape {
  readonly tag: number;
  readonly fields: readonly OperationField[];
}

const validator: OperationField = { name: 'validator_id', kind: 'subject' };
const position: OperationField = { name: 'position_id', kind: 'subject' };
const owner: OperationField = { name: 'owner_address', kind: 'owner' };
const reward: OperationField = { name: 'reward_address', kind: 'reward' };
const amount: OperationField = { name: 'amount', kind: 'amount' };
const commission: OperationField = { name: 'commission_bps', kind: 'commission' };
const epoch: OperationField = { name: 'epoch', kind: 'epoch' };
const consensusKey: OperationField = { name: 'consensus_public_key_hex', kind: 'consensus_key' };
const endpoint: OperationField = { name: 'overlay_endpoint_hex', kind: 'endpoint' };

export const OPERATIONS: Readonly<Record<OperationType, OperationShape>> = {
  bond: { tag: 1, fields: [validator, owner, reward, amount] },
  unbond: { tag: 2, fields: [position, amount] },
  withdraw: { tag: 3, fields: [position] },
  validator_register: {
    tag: 4,
    fields: [owner, reward, amount, commission, consensusKey, endpoint],
  },
  heartbeat: { tag: 5, fields: [validator, epoch] },
  reward_address: { tag: 6, fields: [position, reward] },
  rotate_key: { tag: 7, fields: [validator, consensusKey, endpoint] },
  endpoint: { tag: 8, fields: [validator, consensusKey, endpoint] },
  commission: { tag: 9, fields: [validator, commission] },
  exit: { tag: 10, fields: [validator] },
};

export const OPERATION_TYPES = Object.keys(OPERATIONS) as readonly OperationType[];

/** The type of a tag that the kernel has accepted. */
export function operationType(tag: number): OperationType {
  const type = OPERATION_TYPES.find((candidate) => OPERATIONS[candidate].tag === tag);
  if (type === undefined) throw new RangeError(`operation ${tag}`);
  return type;
}

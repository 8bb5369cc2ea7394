/**
 * The table of operations: the required signer, the coins that an operation takes out of the inputs, and its rule. A
 * type that is missing here does not compile.
 */
import type { CutContext } from '../context.ts';
import { type Address, keyAddress } from '../identifiers.ts';
import type { Operation, OperationOf, OperationType } from '../protocol.ts';
import type { ValidatorRecord } from '../records.ts';
import type { ExecutableTransaction } from '../transaction.ts';
import type { StateView } from '../view.ts';
import { bond } from './bond.ts';
import { changeCommission } from './change-commission.ts';
import { changeEndpoint } from './change-endpoint.ts';
import { changeRewardAddress } from './change-reward-address.ts';
import { exitValidator } from './exit-validator.ts';
import { heartbeat } from './heartbeat.ts';
import { noEffect, type Refusal } from './refusal.ts';
import { registerValidator } from './register-validator.ts';
import { rotateKey } from './rotate-key.ts';
import { unbond } from './unbond.ts';
import { withdraw } from './withdraw.ts';

interface OperationEntry<Type extends OperationType> {
  /** The address that has to sign, or why there is none. */
  readonly owner: (state: StateView, operation: OperationOf<Type>) => Address | Refusal;
  /** The amount that goes from the inputs into a position, beside outputs and fee. */
  readonly bonded: (operation: OperationOf<Type>) => bigint;
  /**
   * The rule. The owner has signed and the record that the operation names exists; the rule checks everything
   * else before it changes anything.
   */
  readonly apply: (
    context: CutContext,
    operation: OperationOf<Type>,
    transaction: ExecutableTransaction,
  ) => Refusal | null;
}

const TABLE: { readonly [Type in OperationType]: OperationEntry<Type> } = {
  bond: { owner: namedOwner, bonded: wholeAmount, apply: bond },
  unbond: { owner: positionOwner, bonded: nothing, apply: unbond },
  withdraw: { owner: positionOwner, bonded: nothing, apply: withdraw },
  validator_register: { owner: namedOwner, bonded: wholeAmount, apply: registerValidator },
  heartbeat: { owner: consensusKeyOwner, bonded: nothing, apply: heartbeat },
  reward_address: { owner: positionOwner, bonded: nothing, apply: changeRewardAddress },
  rotate_key: { owner: validatorOwner, bonded: nothing, apply: rotateKey },
  endpoint: { owner: validatorOwner, bonded: nothing, apply: changeEndpoint },
  commission: { owner: validatorOwner, bonded: nothing, apply: changeCommission },
  exit: { owner: validatorOwner, bonded: nothing, apply: exitValidator },
};

/** The address that has to sign an operation, or why there is none. */
export function operationOwner<Type extends OperationType>(
  state: StateView,
  operation: OperationOf<Type>,
): Address | Refusal {
  return TABLE[operation.type].owner(state, operation);
}

/** The amount that an operation takes out of the inputs, beside outputs and fee. */
export function bondedBy(operation: Operation | null): bigint {
  return operation === null ? 0n : bondedOf(operation);
}

/** Why the operation of a transaction is refused; null if there is none or it has taken effect. */
export function applyOperation(
  context: CutContext,
  transaction: ExecutableTransaction,
): Refusal | null {
  const { operation } = transaction;
  return operation === null ? null : applyOne(context, operation, transaction);
}

function bondedOf<Type extends OperationType>(operation: OperationOf<Type>): bigint {
  return TABLE[operation.type].bonded(operation);
}

function applyOne<Type extends OperationType>(
  context: CutContext,
  operation: OperationOf<Type>,
  transaction: ExecutableTransaction,
): Refusal | null {
  return TABLE[operation.type].apply(context, operation, transaction);
}

function namedOwner(_: StateView, { ownerAddress }: { readonly ownerAddress: Address }): Address {
  return ownerAddress;
}

function positionOwner(
  state: StateView,
  { positionId }: { readonly positionId: string },
): Address | Refusal {
  return state.get('positions', positionId)?.ownerAddress ?? noEffect('position_unknown');
}

function validatorOwner(state: StateView, operation: ValidatorSubject): Address | Refusal {
  return ofValidator(state, operation, ({ ownerAddress }) => ownerAddress);
}

function consensusKeyOwner(state: StateView, operation: ValidatorSubject): Address | Refusal {
  return ofValidator(state, operation, ({ consensusKey }) => keyAddress(consensusKey.keyHash));
}

interface ValidatorSubject {
  readonly validatorId: string;
}

function ofValidator(
  state: StateView,
  { validatorId }: ValidatorSubject,
  addressOf: (validator: ValidatorRecord) => Address,
): Address | Refusal {
  const validator = state.get('validators', validatorId);
  return validator === undefined ? noEffect('validator_unknown') : addressOf(validator);
}

function wholeAmount({ amount }: { readonly amount: bigint }): bigint {
  return amount;
}

function nothing(): bigint {
  return 0n;
}

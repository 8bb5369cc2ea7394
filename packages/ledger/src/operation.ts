/**
 * The operations a transaction may carry, decoded. Amounts are above zero: the decoder sees to it.
 */
import type { Address, Identifier } from './identifiers.ts';
import type { PublicKey } from './records.ts';

export interface BondOperation {
  readonly type: 'bond';
  readonly validatorId: Identifier;
  readonly ownerAddress: Address;
  readonly rewardAddress: Address;
  readonly amount: bigint;
}

export interface UnbondOperation {
  readonly type: 'unbond';
  readonly positionId: Identifier;
  readonly amount: bigint;
}

export interface WithdrawOperation {
  readonly type: 'withdraw';
  readonly positionId: Identifier;
}

export interface RegisterOperation {
  readonly type: 'validator_register';
  readonly ownerAddress: Address;
  readonly rewardAddress: Address;
  readonly amount: bigint;
  readonly commissionBps: number;
  readonly consensusKey: PublicKey;
  readonly endpoint: Uint8Array;
}

export interface HeartbeatOperation {
  readonly type: 'heartbeat';
  readonly validatorId: Identifier;
  readonly epoch: bigint;
}

export interface RewardAddressOperation {
  readonly type: 'reward_address';
  readonly positionId: Identifier;
  readonly rewardAddress: Address;
}

export interface RotateKeyOperation {
  readonly type: 'rotate_key';
  readonly validatorId: Identifier;
  readonly consensusKey: PublicKey;
  readonly endpoint: Uint8Array;
}

export interface EndpointOperation {
  readonly type: 'endpoint';
  readonly validatorId: Identifier;
  readonly consensusKey: PublicKey;
  readonly endpoint: Uint8Array;
}

export interface CommissionOperation {
  readonly type: 'commission';
  readonly validatorId: Identifier;
  readonly commissionBps: number;
}

export interface ExitOperation {
  readonly type: 'exit';
  readonly validatorId: Identifier;
}

export type Operation =
  | BondOperation
  | UnbondOperation
  | WithdrawOperation
  | RegisterOperation
  | HeartbeatOperation
  | RewardAddressOperation
  | RotateKeyOperation
  | EndpointOperation
  | CommissionOperation
  | ExitOperation;

/** What the operation takes out of the inputs, beside outputs and fee. */
export function bondedBy(operation: Operation | null): bigint {
  if (operation === null) return 0n;
  return operation.type === 'bond' || operation.type === 'validator_register'
    ? operation.amount
    : 0n;
}

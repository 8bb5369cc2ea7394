/**
 * The method table: every method of the wallet daemon, by name.
 */
import type { ParamsOf, ResultOf, RpcMethod } from './method.ts';
import { addresses, newAddress, receive, setLabel, validateAddress } from './methods/addresses.ts';
import { subscribe, unsubscribe } from './methods/events.ts';
import { history, incoming, outputs, received, transaction } from './methods/incoming.ts';
import { burn, compound, send, sendMany, sweep } from './methods/outgoing.ts';
import { proofRequest, proveAddress, verifyAddressProof } from './methods/ownership.ts';
import { positions, stake, unstake, validators, withdraw } from './methods/staking.ts';
import {
  rewardAddress,
  validatorCommission,
  validatorEndpoint,
  validatorExit,
  validatorHeartbeat,
  validatorRegister,
  validatorRotate,
} from './methods/validator.ts';
import { balance, pending, rescan, status } from './methods/wallet.ts';

export const METHODS = {
  status,
  balance,
  pending,
  rescan,
  new_address: newAddress,
  receive,
  addresses,
  set_label: setLabel,
  validate_address: validateAddress,
  received,
  incoming,
  outputs,
  history,
  transaction,
  send,
  send_many: sendMany,
  sweep,
  burn,
  compound,
  validators,
  positions,
  stake,
  unstake,
  withdraw,
  proof_request: proofRequest,
  prove_address: proveAddress,
  verify_address_proof: verifyAddressProof,
  subscribe,
  unsubscribe,
  validator_register: validatorRegister,
  validator_heartbeat: validatorHeartbeat,
  validator_rotate: validatorRotate,
  validator_endpoint: validatorEndpoint,
  validator_commission: validatorCommission,
  validator_exit: validatorExit,
  reward_address: rewardAddress,
} as const satisfies Readonly<Record<string, RpcMethod>>;

export type MethodName = keyof typeof METHODS;
export type MethodParams<N extends MethodName> = ParamsOf<(typeof METHODS)[N]>;
export type MethodResult<N extends MethodName> = ResultOf<(typeof METHODS)[N]>;

export const METHOD_LIST: readonly RpcMethod[] = Object.values(METHODS);

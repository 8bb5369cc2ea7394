/**
 * Every method of the wallet in one table: its handler, what makes its transactions if it pays, and the command that calls
 * it. The compiler refuses a method of the contract that is missing here, one that pays without a
 * maker, and a command of another method.
 */
import type { MethodName, MethodResult, PayingMethodName } from 'svc-api/rpc';
import type { Make } from '../journal/record.ts';
import { addresses, newAddress, receive, setLabel, validateAddress } from './addresses.ts';
import { subscribe, unsubscribe } from './events.ts';
import { history, incoming, outputs, received, statement, transaction } from './incoming.ts';
import {
  type CallOrigin,
  COMMAND_LINE,
  checkParams,
  type Handler,
  type Maker,
  type WalletPorts,
} from './method.ts';
import { burn, cancel, compound, request, send, sendMany, split, sweep } from './outgoing.ts';
import { proofRequest, proveAddress, verifyAddressProof } from './ownership.ts';
import { sharedPropose, sharedReview, sharedSign, sharedSubmit } from './shared.ts';
import { positions, stake, unstake, validators, withdraw } from './staking.ts';
import {
  rewardAddress,
  validatorCommission,
  validatorEndpoint,
  validatorExit,
  validatorHeartbeat,
  validatorRegister,
  validatorRotate,
} from './validator.ts';
import { backup, balance, pending, rescan, status } from './wallet.ts';

export interface MethodRow<N extends MethodName> {
  readonly handle: Handler<N>;
  /** Null for a method that moves nothing. */
  readonly maker: N extends PayingMethodName ? Maker : null;
}

export const METHOD_TABLE: { readonly [N in MethodName]: MethodRow<N> } = {
  status: reads(status),
  balance: reads(balance),
  pending: reads(pending),
  rescan: reads(rescan),
  backup: reads(backup),
  new_address: reads(newAddress),
  receive: reads(receive),
  addresses: reads(addresses),
  set_label: reads(setLabel),
  validate_address: reads(validateAddress),
  received: reads(received),
  statement: reads(statement),
  incoming: reads(incoming),
  outputs: reads(outputs),
  history: reads(history),
  transaction: reads(transaction),
  request: reads(request),
  send,
  send_many: sendMany,
  sweep,
  burn,
  compound,
  split,
  cancel,
  validators: reads(validators),
  positions: reads(positions),
  stake,
  unstake,
  withdraw,
  proof_request: reads(proofRequest),
  prove_address: reads(proveAddress),
  verify_address_proof: reads(verifyAddressProof),
  shared_propose: reads(sharedPropose),
  shared_review: reads(sharedReview),
  shared_sign: reads(sharedSign),
  shared_submit: reads(sharedSubmit),
  subscribe: reads(subscribe),
  unsubscribe: reads(unsubscribe),
  validator_register: validatorRegister,
  validator_heartbeat: validatorHeartbeat,
  validator_rotate: validatorRotate,
  validator_endpoint: validatorEndpoint,
  validator_commission: validatorCommission,
  validator_exit: validatorExit,
  reward_address: rewardAddress,
};

/** A method that moves nothing. */
function reads<N extends MethodName>(handle: Handler<N>): { handle: Handler<N>; maker: null } {
  return { handle, maker: null };
}

export function isMethod(name: string): name is MethodName {
  return Object.hasOwn(METHOD_TABLE, name);
}

/** Checks the parameters of a call against the contract, and calls the method. */
export async function callMethod<N extends MethodName>(
  wallet: WalletPorts,
  method: N,
  params: unknown,
  origin: CallOrigin = COMMAND_LINE,
): Promise<MethodResult<N>> {
  checkParams(method, params);
  const row = METHOD_TABLE[method];
  if (row.maker !== null) wallet.keychain.expectSingleOwner();
  return await row.handle(wallet, params, origin);
}

/** Methods that make one transaction with coins that they choose themselves. */
const PAYMENTS: readonly string[] = ['send', 'send_many', 'burn'] satisfies MethodName[];

export function isPayment(method: string): boolean {
  return PAYMENTS.includes(method);
}

/** How the transactions of a request are made, by the method and the parameters that the journal keeps of it. */
export function makerOf(method: string, kept: unknown): Make {
  const maker = isMethod(method) ? METHOD_TABLE[method].maker : null;
  if (maker === null) throw new RangeError(`no request is called ${method}`);
  return maker(kept);
}

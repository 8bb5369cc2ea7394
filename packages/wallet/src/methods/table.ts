/**
 * Every method of the wallet in one table: its handler, what makes its transactions if it pays, and the command that calls
 * it. The compiler refuses a method of the contract that is missing here, one that pays without a
 * maker, and a command of another method.
 */
import type { MethodName, MethodResult, PayingMethodName } from 'svc-api/rpc';
import { ADDRESSES_COMMANDS } from '../cli/commands/addresses.ts';
import { INCOMING_COMMANDS } from '../cli/commands/incoming.ts';
import { OUTGOING_COMMANDS } from '../cli/commands/outgoing.ts';
import { OWNERSHIP_COMMANDS } from '../cli/commands/ownership.ts';
import type { CommandRow } from '../cli/commands/row.ts';
import { STAKING_COMMANDS } from '../cli/commands/staking.ts';
import { VALIDATOR_COMMANDS } from '../cli/commands/validator.ts';
import { WALLET_COMMANDS } from '../cli/commands/wallet.ts';
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
  /** A row of the command table, the name of a command that is written by hand, or null where people need none. */
  readonly command: CommandRow<N> | string | null;
}

export const METHOD_TABLE: { readonly [N in MethodName]: MethodRow<N> } = {
  status: { handle: status, maker: null, command: WALLET_COMMANDS.status },
  balance: { handle: balance, maker: null, command: WALLET_COMMANDS.balance },
  pending: { handle: pending, maker: null, command: WALLET_COMMANDS.pending },
  rescan: { handle: rescan, maker: null, command: WALLET_COMMANDS.rescan },
  backup: { handle: backup, maker: null, command: WALLET_COMMANDS.backup },
  new_address: { handle: newAddress, maker: null, command: 'address' },
  receive: { handle: receive, maker: null, command: 'receive' },
  addresses: { handle: addresses, maker: null, command: ADDRESSES_COMMANDS.addresses },
  set_label: { handle: setLabel, maker: null, command: ADDRESSES_COMMANDS.set_label },
  validate_address: {
    handle: validateAddress,
    maker: null,
    command: ADDRESSES_COMMANDS.validate_address,
  },
  received: { handle: received, maker: null, command: INCOMING_COMMANDS.received },
  statement: { handle: statement, maker: null, command: 'statement' },
  incoming: { handle: incoming, maker: null, command: null },
  outputs: { handle: outputs, maker: null, command: INCOMING_COMMANDS.outputs },
  history: { handle: history, maker: null, command: INCOMING_COMMANDS.history },
  transaction: { handle: transaction, maker: null, command: INCOMING_COMMANDS.transaction },
  request: { handle: request, maker: null, command: OUTGOING_COMMANDS.request },
  send: { ...send, command: OUTGOING_COMMANDS.send },
  send_many: { ...sendMany, command: OUTGOING_COMMANDS.send_many },
  sweep: { ...sweep, command: OUTGOING_COMMANDS.sweep },
  burn: { ...burn, command: OUTGOING_COMMANDS.burn },
  compound: { ...compound, command: OUTGOING_COMMANDS.compound },
  split: { ...split, command: OUTGOING_COMMANDS.split },
  cancel: { ...cancel, command: OUTGOING_COMMANDS.cancel },
  validators: { handle: validators, maker: null, command: STAKING_COMMANDS.validators },
  positions: { handle: positions, maker: null, command: STAKING_COMMANDS.positions },
  stake: { ...stake, command: STAKING_COMMANDS.stake },
  unstake: { ...unstake, command: STAKING_COMMANDS.unstake },
  withdraw: { ...withdraw, command: STAKING_COMMANDS.withdraw },
  proof_request: { handle: proofRequest, maker: null, command: OWNERSHIP_COMMANDS.proof_request },
  prove_address: { handle: proveAddress, maker: null, command: OWNERSHIP_COMMANDS.prove_address },
  verify_address_proof: {
    handle: verifyAddressProof,
    maker: null,
    command: OWNERSHIP_COMMANDS.verify_address_proof,
  },
  shared_propose: { handle: sharedPropose, maker: null, command: 'shared-propose' },
  shared_review: { handle: sharedReview, maker: null, command: 'shared-review' },
  shared_sign: { handle: sharedSign, maker: null, command: 'shared-sign' },
  shared_submit: { handle: sharedSubmit, maker: null, command: 'shared-submit' },
  subscribe: { handle: subscribe, maker: null, command: null },
  unsubscribe: { handle: unsubscribe, maker: null, command: null },
  validator_register: { ...validatorRegister, command: VALIDATOR_COMMANDS.validator_register },
  validator_heartbeat: { ...validatorHeartbeat, command: VALIDATOR_COMMANDS.validator_heartbeat },
  validator_rotate: { ...validatorRotate, command: VALIDATOR_COMMANDS.validator_rotate },
  validator_endpoint: { ...validatorEndpoint, command: VALIDATOR_COMMANDS.validator_endpoint },
  validator_commission: {
    ...validatorCommission,
    command: VALIDATOR_COMMANDS.validator_commission,
  },
  validator_exit: { ...validatorExit, command: VALIDATOR_COMMANDS.validator_exit },
  reward_address: { ...rewardAddress, command: VALIDATOR_COMMANDS.reward_address },
};

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

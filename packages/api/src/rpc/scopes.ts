/**
 * What a token allows, method by method. Every scope includes `read`; `everything` includes all of them. The compiler
 * refuses a method of the contract that has no scope here.
 */
import type { MethodName } from './methods.ts';

export const SCOPES = ['read', 'deposit', 'spend', 'everything'] as const;
export type Scope = (typeof SCOPES)[number];

export const METHOD_SCOPES: { readonly [N in MethodName]: Scope } = {
  status: 'read',
  balance: 'read',
  pending: 'read',
  addresses: 'read',
  validate_address: 'read',
  received: 'read',
  incoming: 'read',
  outputs: 'read',
  history: 'read',
  transaction: 'read',
  statement: 'read',
  request: 'read',
  validators: 'read',
  positions: 'read',
  proof_request: 'read',
  verify_address_proof: 'read',
  shared_review: 'read',
  subscribe: 'read',
  unsubscribe: 'read',

  new_address: 'deposit',
  receive: 'deposit',
  set_label: 'deposit',

  send: 'spend',
  send_many: 'spend',
  sweep: 'spend',
  compound: 'spend',
  split: 'spend',
  cancel: 'spend',

  rescan: 'everything',
  backup: 'everything',
  burn: 'everything',
  stake: 'everything',
  unstake: 'everything',
  withdraw: 'everything',
  prove_address: 'everything',
  shared_propose: 'everything',
  shared_sign: 'everything',
  shared_submit: 'everything',
  validator_register: 'everything',
  validator_heartbeat: 'everything',
  validator_rotate: 'everything',
  validator_endpoint: 'everything',
  validator_commission: 'everything',
  validator_exit: 'everything',
  reward_address: 'everything',
};

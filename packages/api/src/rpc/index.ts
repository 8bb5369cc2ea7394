/**
 * The contract of the wallet daemon: methods, events and errors of its JSON-RPC.
 */
export type { Static, TSchema } from 'typebox';
export { Funds, ReceivedPayment, WaitingPayment } from './documents.ts';
export { type Retry, RPC_ERRORS, type RpcErrorEntry, type RpcErrorKind } from './errors.ts';
export { EVENT_NAMES, EVENTS, type EventData, type EventName } from './events.ts';
export {
  METHOD_GROUPS,
  type MethodGroup,
  type ParamsOf,
  type ResultOf,
  type RpcMethod,
} from './method.ts';
export { RECEIVED_MAX, STATEMENT_MAX } from './methods/incoming.ts';
export {
  FLOAT_COINS_MAX,
  RECIPIENTS_MAX,
  VALID_CUTS_MAX,
  VALID_CUTS_MIN,
} from './methods/outgoing.ts';
export { PROOF_SECONDS_MAX } from './methods/ownership.ts';
export { PACKAGE_CHARACTERS_MAX, PACKAGES_MAX } from './methods/shared.ts';
export { STAKE_COINS_MIN } from './methods/staking.ts';
export {
  COMMISSION_BPS_DEFAULT,
  CONSENSUS_KEY_INDEX_MAX,
  CONSENSUS_KEY_INDEX_MIN,
  SELF_BOND_COINS_MIN,
} from './methods/validator.ts';
export {
  METHOD_LIST,
  METHODS,
  type MethodName,
  type MethodParams,
  type MethodResult,
  type PayingMethodName,
} from './methods.ts';
export { COMMON_ERRORS, ERROR_FIELDS, openRpcDocument } from './open-rpc.ts';
export {
  LABEL_CHARACTERS_MAX,
  PAGE_DEFAULT,
  PAGE_MAX,
  REQUEST_ID_CHARACTERS_MAX,
} from './scalars.ts';
export { METHOD_SCOPES, SCOPES, type Scope } from './scopes.ts';

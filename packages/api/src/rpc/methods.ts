/**
 * The method table: every method of the wallet daemon, by name. A group of methods is a file in `methods`; a
 * method that is added there is in this table by itself.
 */
import type { ParamsOf, ResultOf, RpcMethod } from './method.ts';
import { ADDRESSES_METHODS } from './methods/addresses.ts';
import { EVENTS_METHODS } from './methods/events.ts';
import { INCOMING_METHODS } from './methods/incoming.ts';
import { OUTGOING_METHODS } from './methods/outgoing.ts';
import { OWNERSHIP_METHODS } from './methods/ownership.ts';
import { SHARED_METHODS } from './methods/shared.ts';
import { STAKING_METHODS } from './methods/staking.ts';
import { VALIDATOR_METHODS } from './methods/validator.ts';
import { WALLET_METHODS } from './methods/wallet.ts';

export const METHODS = {
  ...WALLET_METHODS,
  ...ADDRESSES_METHODS,
  ...INCOMING_METHODS,
  ...OUTGOING_METHODS,
  ...STAKING_METHODS,
  ...OWNERSHIP_METHODS,
  ...SHARED_METHODS,
  ...EVENTS_METHODS,
  ...VALIDATOR_METHODS,
} as const satisfies Readonly<Record<string, RpcMethod>>;

export type MethodName = keyof typeof METHODS;
export type MethodParams<N extends MethodName> = ParamsOf<(typeof METHODS)[N]>;
export type MethodResult<N extends MethodName> = ResultOf<(typeof METHODS)[N]>;

/**
 * Methods that move money, recognised by a result that says whether the node has the transaction: a caller names each
 * request, and a request is carried out once.
 */
export type PayingMethodName = {
  [N in MethodName]: 'submitted' extends keyof MethodResult<N> ? N : never;
}[MethodName];

export const METHOD_LIST: readonly RpcMethod[] = Object.values(METHODS);

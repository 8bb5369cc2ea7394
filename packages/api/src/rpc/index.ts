/**
 * The contract of the wallet daemon: methods, events and errors of its JSON-RPC.
 */

export type { Static, TSchema } from 'typebox';
export { type Retry, RPC_ERRORS, type RpcErrorEntry, type RpcErrorKind } from './errors.ts';

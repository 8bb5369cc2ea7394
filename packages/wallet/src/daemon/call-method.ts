/**
 * Calls a method by name with parameters that were checked against its contract.
 */
import type { MethodName } from 'svc-api/rpc';
import { type CallableMethod, HANDLERS } from '../methods/index.ts';
import type { Wallet } from '../wallet.ts';
import { refusal } from './rpc-error.ts';

type AnyHandler = (wallet: Wallet, params: object) => unknown;

export function callMethod(wallet: Wallet, method: MethodName, params: object): unknown {
  if (method === 'subscribe' || method === 'unsubscribe') {
    throw refusal('no_socket', 'subscriptions live on the WebSocket at /v1/ws');
  }
  return (HANDLERS[method as CallableMethod] as AnyHandler)(wallet, params);
}

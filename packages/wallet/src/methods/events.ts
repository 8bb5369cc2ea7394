/**
 * The group `events`: subscriptions of the connection that a call came over.
 */
import { WalletError } from '../errors.ts';
import type { CallOrigin, Connection, Handler } from './method.ts';

export const subscribe: Handler<'subscribe'> = (_, params, origin) =>
  expectSocket(origin).subscribe(params);

export const unsubscribe: Handler<'unsubscribe'> = (_, params, origin) =>
  expectSocket(origin).unsubscribe(params);

function expectSocket({ connection }: CallOrigin): Connection {
  if (connection !== null) return connection;
  throw new WalletError('no_socket', 'subscriptions live on the WebSocket at /v1/ws');
}

/**
 * The group `events`: subscriptions of the connection that a call came over.
 */
import { WalletError } from '../base/wallet-error.ts';
import type { Connection, Handler } from './method.ts';

export const subscribe: Handler<'subscribe'> = (_, params, connection) =>
  expectSocket(connection).subscribe(params);

export const unsubscribe: Handler<'unsubscribe'> = (_, params, connection) =>
  expectSocket(connection).unsubscribe(params);

function expectSocket(connection: Connection | null): Connection {
  if (connection !== null) return connection;
  throw new WalletError('no_socket', 'subscriptions live on the WebSocket at /v1/ws');
}

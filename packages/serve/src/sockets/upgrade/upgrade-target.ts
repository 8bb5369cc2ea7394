/**
 * Which socket a request asks for. The target is taken as it was sent: nothing is decoded or repaired.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { SOCKET_ENDPOINTS, type SocketEndpoint } from 'svc-api';
import { Refused } from '../../refusal/refused.ts';

export type UpgradeTarget =
  | { readonly endpoint: 'events'; readonly afterHeight: number | undefined }
  | { readonly endpoint: 'api' }
  | { readonly endpoint: 'status'; readonly transactionId: string };

const STATUS_PATH = /^\/v1\/transactions\/([0-9a-f]{96})\/status\/stream$/;
const HEIGHT = /^(?:0|[1-9][0-9]{0,15})$/;

export function readTarget(url: string): UpgradeTarget {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? [] : url.slice(mark + 1).split('&');
  if (path === SOCKET_ENDPOINTS.events.path) {
    return { endpoint: 'events', afterHeight: readAfterHeight(query) };
  }
  const target = readPlainTarget(path);
  for (const parameter of query) throw unknownParameter(parameter);
  return target;
}

function readPlainTarget(path: string): UpgradeTarget {
  if (path === SOCKET_ENDPOINTS.api.path) return { endpoint: 'api' };
  const transactionId = STATUS_PATH.exec(path)?.[1];
  if (transactionId !== undefined) return { endpoint: 'status', transactionId };
  throw new Refused('unknown_route', 'there is no socket at this path');
}

function readAfterHeight(query: readonly string[]): number | undefined {
  let height: number | undefined;
  for (const parameter of query) {
    const [name, value] = parameter.split('=', 2) as [string, string | undefined];
    if (name !== 'after_height') throw unknownParameter(parameter);
    if (height !== undefined) {
      throw new Refused('duplicate_parameter', 'after_height occurs twice', { path: name });
    }
    height = HEIGHT.test(value ?? '') ? Number(value) : Number.NaN;
    if (!Number.isSafeInteger(height) || parameter !== `${name}=${value}`) {
      throw new Refused('bad_integer', 'expected a height in decimal digits', { path: name });
    }
  }
  return height;
}

function unknownParameter(parameter: string): Refused {
  const path = parameter.split('=', 1)[0]?.slice(0, 64) ?? '';
  return new Refused('unknown_field', 'the socket has no such query parameter', { path });
}

const VERSION = '13';

/** Refuses a connection of another version, or one that does not name the subprotocol of the endpoint. */
export function expectHandshake(endpoint: SocketEndpoint, headers: IncomingHttpHeaders): void {
  if (headers['sec-websocket-version'] !== VERSION) {
    throw new Refused('bad_upgrade', `expected a WebSocket of version ${VERSION}`);
  }
  const { subprotocol } = SOCKET_ENDPOINTS[endpoint];
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  if (offered.includes(subprotocol)) return;
  throw new Refused('subprotocol_required', `expected the subprotocol ${subprotocol}`);
}

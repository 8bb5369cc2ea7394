/**
 * Addresses of mining servers as an operator writes them: `svc+tcp://host:port`, `svc+tls://host:port`, `ws://…` and
 * `wss://…`. `#v2` selects the binary form of the protocol.
 */
import type { Protocol } from 'svc-mining';

export interface ServerUrl {
  /** As it was written. */
  readonly text: string;
  readonly transport: 'tcp' | 'tls' | 'ws';
  readonly host: string;
  readonly port: number;
  readonly protocol: Protocol;
  /** For a WebSocket, without the fragment. */
  readonly href: string;
}

const TRANSPORTS: Readonly<Record<string, ServerUrl['transport']>> = {
  'svc+tcp:': 'tcp',
  'svc+tls:': 'tls',
  'ws:': 'ws',
  'wss:': 'ws',
};
const FORMS: Readonly<Record<string, Protocol>> = {
  '': 'svc-mining-v1',
  '#v1': 'svc-mining-v1',
  '#v2': 'svc-mining-v2',
};
const EXPECTED =
  'expected svc+tcp://host:port, svc+tls://host:port, ws://… or wss://…, with #v2 for frames';

/** Throws a `TypeError` that says what was expected. */
export function parseServerUrl(text: string): ServerUrl {
  const url = URL.parse(text);
  const transport = url === null ? undefined : TRANSPORTS[url.protocol];
  const protocol = url === null ? undefined : FORMS[url.hash];
  if (url === null || transport === undefined || protocol === undefined || url.hostname === '')
    throw new TypeError(`${text}: ${EXPECTED}`);
  if (url.username !== '' || url.password !== '')
    throw new TypeError(`${text}: the name belongs into --user, not into the address`);
  if (transport === 'ws' && protocol === 'svc-mining-v2')
    throw new TypeError(`${text}: a WebSocket carries svc-mining-v1 alone`);
  if (transport !== 'ws' && url.port === '') throw new TypeError(`${text}: the port is missing`);
  const port = url.port === '' ? (url.protocol === 'wss:' ? 443 : 80) : Number(url.port);
  url.hash = '';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { text, transport, host, port, protocol, href: url.href };
}

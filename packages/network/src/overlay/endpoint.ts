/**
 * The overlay endpoint that a validator registers on the chain: `version u8 = 1 | key hash bytes[48] | varint n
 * ≤ 4; each transports u8 (1 TCP, 2 QUIC, 3 both) | family u8 (1 name, 4, 6) | name counted, or the address |
 * port u16`. The key itself, of 1,952 bytes, is shown in every handshake.
 */
import { Reader, SvcError, toHex, Writer } from 'svc-wasm/base';
import { keyHash } from 'svc-wasm/protocol';
import { canonicalHost, hostBytes, hostFromBytes } from '../base/addresses.ts';
import { openOverlayKey } from './overlay-key.ts';

export interface Route {
  /** An IP address or a name. */
  readonly host: string;
  readonly port: number;
  readonly tcp: boolean;
  readonly quic: boolean;
}

export interface OverlayEndpoint {
  /** The hash of the overlay key, in hexadecimal. */
  readonly keyHash: string;
  /** None for a validator that others cannot reach. */
  readonly routes: readonly Route[];
}

export const ROUTES_MAX = 4;
const VERSION = 1;
const KEY_HASH_BYTES = 48;
const NAME_BYTES_MAX = 200;
const NAME =
  /^(?=.{1,200}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
/** A byte order mark is a character like any other, and in no name. */
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });
const FAMILIES = { name: 1, ipv4: 4, ipv6: 6 } as const;

/** Reads the overlay key of the folder, or makes it, and gives the endpoint to register. */
export async function openOverlayEndpoint(
  directory: string,
  routes: readonly { readonly host: string; readonly port: number }[],
): Promise<Uint8Array> {
  const { publicKey } = await openOverlayKey(directory);
  return encodeOverlayEndpoint({
    keyHash: toHex(keyHash(publicKey)),
    routes: routes.map(({ host, port }) => ({ host, port, tcp: true, quic: true })),
  });
}

export function encodeOverlayEndpoint({ keyHash: hash, routes }: OverlayEndpoint): Uint8Array {
  const writer = new Writer(256).u8(VERSION).raw(Uint8Array.from(Buffer.from(hash, 'hex')));
  return writeRoutes(writer, routes).finish();
}

export function decodeOverlayEndpoint(bytes: Uint8Array, path = 'endpoint'): OverlayEndpoint {
  const reader = new Reader(bytes, path);
  const version = reader.u8();
  if (version !== VERSION) {
    const message = `expected version ${VERSION}, found ${version}`;
    throw new SvcError('unsupported_version', message, { path });
  }
  const hash = toHex(reader.raw(KEY_HASH_BYTES));
  const routes = readRoutes(reader, path);
  reader.end();
  return { keyHash: hash, routes };
}

export function writeRoutes(writer: Writer, routes: readonly Route[]): Writer {
  checkRoutes(routes, 'routes');
  writer.varint(routes.length);
  for (const { host, port, tcp, quic } of routes) {
    writer.u8((tcp ? 1 : 0) + (quic ? 2 : 0));
    const address = canonicalHost(host);
    if (address === undefined) writer.u8(FAMILIES.name).counted(new TextEncoder().encode(host));
    else {
      const raw = hostBytes(address);
      writer.u8(raw.length === 4 ? FAMILIES.ipv4 : FAMILIES.ipv6).raw(raw);
    }
    writer.u16(port);
  }
  return writer;
}

export function readRoutes(reader: Reader, path: string): Route[] {
  const count = reader.varint();
  if (count > ROUTES_MAX) throw tooMany(count, path);
  const routes = Array.from({ length: count }, (): Route => {
    const transports = reader.u8();
    if (transports < 1 || transports > 3)
      throw new SvcError('out_of_range', `no transports ${transports}`, { path });
    const host = readHost(reader, path);
    const port = reader.u16();
    return { host, port, tcp: (transports & 1) !== 0, quic: (transports & 2) !== 0 };
  });
  checkRoutes(routes, path);
  return routes;
}

function readHost(reader: Reader, path: string): string {
  const family = reader.u8();
  switch (family) {
    case FAMILIES.name:
      return DECODER.decode(reader.counted(NAME_BYTES_MAX));
    case FAMILIES.ipv4:
      return hostFromBytes(reader.raw(4));
    case FAMILIES.ipv6: {
      const host = hostFromBytes(reader.raw(16));
      if (host.includes(':')) return host;
      throw new SvcError('not_canonical', `${host} is an IPv4 address`, { path });
    }
    default:
      throw new SvcError('out_of_range', `no address family ${family}`, { path });
  }
}

function checkRoutes(routes: readonly Route[], path: string): void {
  if (routes.length > ROUTES_MAX) throw tooMany(routes.length, path);
  const seen = new Set<string>();
  for (const [index, { host, port, tcp, quic }] of routes.entries()) {
    const at = `${path}[${index}]`;
    if (canonicalHost(host) === undefined && !NAME.test(host))
      throw new SvcError('bad_text', 'expected an IP address or a lower-case name', { path: at });
    if (!Number.isInteger(port) || port < 1 || port > 0xffff)
      throw new SvcError('out_of_range', `expected a port, found ${port}`, { path: at });
    if (!tcp && !quic) throw new SvcError('out_of_range', 'expected a transport', { path: at });
    if (seen.has(`${host} ${port}`))
      throw new SvcError('not_canonical', 'the route occurs twice', { path: at });
    seen.add(`${host} ${port}`);
  }
}

function tooMany(count: number, path: string): SvcError {
  return new SvcError('out_of_range', `expected at most ${ROUTES_MAX} routes, found ${count}`, {
    path,
  });
}

/**
 * Addresses to listen on: `ip`, `ip:port`, `[ipv6]:port` and multiaddrs. Names are not looked up, except
 * `localhost`.
 */
import { isIP, isIPv6 } from 'node:net';
import type { Bind } from 'svc-base/node';

export type { Bind };

const PORT = /^(?:0|[1-9][0-9]{0,4})$/;
const PORT_MAX = 65_535;
/** Multiaddrs that a node can listen on; further protocols may follow the port. */
const MULTIADDR = /^\/(ip4|ip6)\/([^/]+)\/(?:tcp|udp)\/([0-9]+)(?:\/[a-z0-9-]+)*$/;

/** The address in a text; undefined if the text is none. */
export function parseBind(text: string, defaultPort: number): Bind | undefined {
  const { host, port } = splitPort(text);
  const address = host === 'localhost' ? '127.0.0.1' : host;
  if (isIP(address) === 0) return undefined;
  if (port === null) return { host: address, port: defaultPort };
  return isPort(port) ? { host: address, port: Number(port) } : undefined;
}

export function formatBind({ host, port }: Bind): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  const plain = host.toLowerCase().replace(/^::ffff:/, '');
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

/** An address to listen on as a multiaddr; undefined if it is none. */
export function toMultiaddr(text: string, defaultPort: number): string | undefined {
  if (text.startsWith('/')) return isListenMultiaddr(text) ? text : undefined;
  const bind = parseBind(text, defaultPort);
  if (bind === undefined) return undefined;
  return `/${isIPv6(bind.host) ? 'ip6' : 'ip4'}/${bind.host}/tcp/${bind.port}`;
}

function isListenMultiaddr(text: string): boolean {
  const [, family, host, port] = MULTIADDR.exec(text) ?? [];
  if (family === undefined || host === undefined || port === undefined) return false;
  return isIP(host) === (family === 'ip4' ? 4 : 6) && isPort(port);
}

function splitPort(text: string): { host: string; port: string | null } {
  const bracketed = /^\[([^\]]+)\](?::(.*))?$/.exec(text);
  if (bracketed !== null) return { host: bracketed[1] as string, port: bracketed[2] ?? null };
  if (isIPv6(text)) return { host: text, port: null };
  const colon = text.lastIndexOf(':');
  if (colon < 0) return { host: text, port: null };
  return { host: text.slice(0, colon), port: text.slice(colon + 1) };
}

function isPort(text: string): boolean {
  return PORT.test(text) && Number(text) <= PORT_MAX;
}

const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
const PEER_MULTIADDR =
  /^\/(?:ip4|ip6|dns|dns4|dns6)\/[^/\s]+\/(?:tcp|udp)\/[0-9]+(?:\/[a-z0-9-]+)*(?:\/p2p\/[A-Za-z0-9]+)?$/;

/**
 * Names, origins, networks and peers in lists of the configuration. Each check answers what was expected,
 * or null.
 */
export function checkPublicName(name: string): string | null {
  return HOST.test(name) || isIP(name) !== 0
    ? null
    : 'expected a host name in lower case, without scheme and port';
}

/** Exactly as browsers send it; neither `*` nor `null` is an origin that could be admitted. */
export function checkOrigin(origin: string): string | null {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  const isWeb = url !== null && ['http:', 'https:'].includes(url.protocol);
  return isWeb && url.origin === origin
    ? null
    : 'expected an origin such as https://wallet.example, without a path';
}

export function checkProxy(network: string): string | null {
  const [address = '', bits, ...rest] = network.split('/');
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  const isLength =
    bits === undefined || (/^(?:0|[1-9][0-9]{0,2})$/.test(bits) && Number(bits) <= most);
  return family !== 0 && isLength && rest.length === 0
    ? null
    : 'expected an IP address or a network such as 10.0.0.0/8';
}

export function checkHost(host: string): string | null {
  return isIP(host) === 0 ? 'expected an IP address' : null;
}

export function checkPeer(address: string): string | null {
  const isAddress = PEER_MULTIADDR.test(address) || parseHostPort(address, 1) !== undefined;
  return isAddress ? null : 'expected a host, host:port or multiaddr';
}

/** An address or name to connect to, with or without a port; undefined if it is none. */
export function parseHostPort(text: string, defaultPort: number): Bind | undefined {
  const address = parseBind(text, defaultPort) ?? parseName(text, defaultPort);
  return address === undefined || address.port === 0 ? undefined : address;
}

function parseName(text: string, defaultPort: number): Bind | undefined {
  const [host = '', port, ...more] = text.split(':');
  if (more.length > 0 || !HOST.test(host)) return undefined;
  if (port === undefined) return { host, port: defaultPort };
  const isPort = /^[1-9][0-9]{0,4}$/.test(port) && Number(port) <= PORT_MAX;
  return isPort ? { host, port: Number(port) } : undefined;
}

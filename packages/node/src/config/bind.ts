/**
 * Addresses to listen on: `ip`, `ip:port`, `[ipv6]:port` and multiaddrs. Names are not looked up, except
 * `localhost`.
 */
import { isIP, isIPv6 } from 'node:net';
import type { Bind } from 'svc-base/node';

export type { Bind };

const PORT = /^(?:0|[1-9][0-9]{0,4})$/;
export const PORT_MAX = 65_535;
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

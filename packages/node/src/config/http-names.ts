/**
 * Names, origins, networks and peers in lists of the configuration. Each check answers what was expected,
 * or null.
 */
import { isIP } from 'node:net';
import { type Bind, PORT_MAX, parseBind } from './bind.ts';

const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
const PEER_MULTIADDR =
  /^\/(?:ip4|ip6|dns|dns4|dns6)\/[^/\s]+\/(?:tcp|udp)\/[0-9]+(?:\/[a-z0-9-]+)*(?:\/p2p\/[A-Za-z0-9]+)?$/;

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

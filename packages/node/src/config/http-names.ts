/**
 * Names, origins, networks and peers in lists of the configuration. Each check answers what was expected,
 * or null.
 */
import { isIP } from 'node:net';

const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
const PEER =
  /^\/(?:ip4|ip6|dns|dns4|dns6)\/[^/\s]+\/(?:tcp|udp)\/[0-9]+(?:\/[a-z0-9-]+)*\/p2p\/[A-Za-z0-9]+$/;

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

export function checkPeer(address: string): string | null {
  return PEER.test(address)
    ? null
    : 'expected a multiaddr that ends in /p2p/<id>, such as /dns4/seed.example/tcp/28700/p2p/12D3…';
}

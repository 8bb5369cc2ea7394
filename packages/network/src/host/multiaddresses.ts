/**
 * Between libp2p's addresses and plain ones.
 */
import { peerIdFromString } from '@libp2p/peer-id';
import { type Multiaddr, multiaddr } from '@multiformats/multiaddr';
import { canonicalHost, type SocketAddress } from '../base/addresses.ts';

/** The address of the socket behind a connection; undefined for names, relays and other transports. */
export function socketAddressOf(address: Multiaddr): SocketAddress | undefined {
  const [ip, transport] = address.getComponents();
  if (ip?.value === undefined || transport?.value === undefined) return undefined;
  if (ip.name !== 'ip4' && ip.name !== 'ip6') return undefined;
  const host = canonicalHost(ip.value);
  return host === undefined ? undefined : { host, port: Number(transport.value) };
}

export function tcpMultiaddr({ host, port }: SocketAddress, peerId?: string): Multiaddr {
  const family = host.includes(':') ? 'ip6' : 'ip4';
  const suffix = peerId === undefined ? '' : `/p2p/${peerId}`;
  return multiaddr(`/${family}/${host}/tcp/${port}${suffix}`);
}

const HOST_AND_PORT = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]{1,253}))(?::([1-9][0-9]{0,4}))?$/;

/**
 * The address of a peer as an operator writes it: a multiaddr, or a host with or without a port. Throws a
 * `RangeError` that says what was expected.
 */
export function parsePeerAddress(text: string, defaultPort: number): Multiaddr {
  if (text.startsWith('/')) return checkedMultiaddr(text);
  const match = HOST_AND_PORT.exec(text);
  const port = match?.[3] === undefined ? defaultPort : Number(match[3]);
  if (match === null || port > 0xffff) throw badAddress(text);
  const bracketed = match[1];
  if (bracketed !== undefined) {
    const host = canonicalHost(bracketed);
    if (host === undefined) throw badAddress(text);
    return tcpMultiaddr({ host, port });
  }
  const name = match[2] as string;
  const host = canonicalHost(name);
  return host === undefined ? multiaddr(`/dns/${name}/tcp/${port}`) : tcpMultiaddr({ host, port });
}

/** The peer id at the end of an address, if it has one. */
export function peerIdOf(address: Multiaddr): string | undefined {
  return address.getComponents().findLast(({ name }) => name === 'p2p')?.value;
}

/** The canonical text of a peer id made from an Ed25519 key; undefined for anything else. */
export function canonicalPeerId(text: string): string | undefined {
  try {
    const id = peerIdFromString(text);
    return id.type === 'Ed25519' && id.toString() === text ? text : undefined;
  } catch {
    return undefined;
  }
}

function checkedMultiaddr(text: string): Multiaddr {
  try {
    return multiaddr(text);
  } catch {
    throw badAddress(text);
  }
}

function badAddress(text: string): RangeError {
  return new RangeError(
    `expected a multiaddr such as /ip4/203.0.113.5/tcp/28700, or host:port, found ${JSON.stringify(text.slice(0, 100))}`,
  );
}

/**
 * Which internet addresses may be dialled or believed, and which of them are counted as neighbours. The owner of one
 * address of a range usually owns all of it, so limits count ranges.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface SocketAddress {
  /** An IPv4 or IPv6 address in its canonical text form. */
  readonly host: string;
  readonly port: number;
}

const IPV4_RANGE_BITS = 24;
const IPV6_RANGE_BITS = 48;
const IPV6_HOUSEHOLD_BYTES = 8;
/** The first three bits of every assigned IPv6 address, 2000::/3. */
const IPV6_GIVEN_OUT = 0b001;

/** The canonical text of an address, with IPv4 mapped into IPv6 as IPv4; undefined if it is none. */
export function canonicalHost(text: string): string | undefined {
  if (text.includes('%') || isIP(text) === 0) return undefined;
  return plain(text).toString();
}

/** Whether the address is a public one. */
export function isPublic(host: string): boolean {
  if (isIP(host) === 0) return false;
  const address = plain(host);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address.toByteArray()[0] ?? 0) >> 5 === IPV6_GIVEN_OUT;
}

/** The least that the holder of the address owns: an IPv4 address, or the /64 of an IPv6 one. */
export function householdOf(host: string): string {
  const address = plain(host);
  if (address.kind() === 'ipv4') return address.toString();
  const bytes = address.toByteArray().fill(0, IPV6_HOUSEHOLD_BYTES);
  return `${ipaddr.fromByteArray(bytes).toString()}/${8 * IPV6_HOUSEHOLD_BYTES}`;
}

/** The name of the range that the address is counted in. */
export function rangeOf(host: string): string {
  const address = plain(host);
  const bits = address.kind() === 'ipv4' ? IPV4_RANGE_BITS : IPV6_RANGE_BITS;
  const bytes = address.toByteArray();
  return `${bytes.slice(0, bits / 8).join('.')}/${bits}`;
}

/**
 * The name under which the behaviour of a peer is remembered when it comes back: its range of addresses where that is
 * public, since another peer id costs nothing, else its id.
 */
export function originOf(peer: {
  readonly id: string;
  readonly address: SocketAddress | undefined;
}): string {
  const { address } = peer;
  if (address === undefined) return peer.id;
  const known = ORIGINS.get(address);
  if (known !== undefined) return known.isPublic ? known.range : peer.id;
  const { host } = address;
  const origin = isPublic(host) ? { isPublic: true, range: rangeOf(host) } : NO_ORIGIN;
  ORIGINS.set(address, origin);
  return origin.isPublic ? origin.range : peer.id;
}

/** Cache of address to range; looked up for every frame. */
const ORIGINS = new WeakMap<
  SocketAddress,
  { readonly isPublic: boolean; readonly range: string }
>();
const NO_ORIGIN = { isPublic: false, range: '' };

export function formatSocketAddress({ host, port }: SocketAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The bytes of an address: 4 or 16. */
export function hostBytes(host: string): Uint8Array {
  return Uint8Array.from(plain(host).toByteArray());
}

/** The address of 4 or 16 bytes. */
export function hostFromBytes(bytes: Uint8Array): string {
  return plain(ipaddr.fromByteArray([...bytes]).toString()).toString();
}

function plain(host: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return ipaddr.process(host);
}

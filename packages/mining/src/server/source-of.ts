/**
 * The source that limits and bans apply to: an IPv4 address, or the /64 of an IPv6 one, which is what one customer
 * has.
 */
import ipaddr from 'ipaddr.js';

const PREFIX_BYTES = 8;

export function sourceOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return `${parsed.toString()}/32`;
  const bytes = [
    ...parsed.toByteArray().slice(0, PREFIX_BYTES),
    ...Array<number>(PREFIX_BYTES).fill(0),
  ];
  return `${ipaddr.fromByteArray(bytes).toString()}/64`;
}

/**
 * Who a request counts for: the IPv4 address, or the /64 of an IPv6 address. `X-Forwarded-For` is believed
 * only from proxies of the configuration, and read from its end up to the first address that is none.
 */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import QuickLRU from 'quick-lru';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];
type Address = ipaddr.IPv4 | ipaddr.IPv6;

const KEYS_MAX = 32_768;
const FORWARDED_CHARACTERS_MAX = 1_024;
const UNKNOWN = 'unknown';

export class ClientKeys {
  readonly #proxies: readonly Network[];
  readonly #keys = new QuickLRU<string, string>({ maxSize: KEYS_MAX });

  /** Addresses, or networks in CIDR form. */
  constructor(trustedProxies: readonly string[]) {
    this.#proxies = trustedProxies.map((text) =>
      text.includes('/') ? parseNetwork(text) : wholeAddress(ipaddr.process(text)),
    );
  }

  keyOf(request: IncomingMessage): string {
    const address = request.socket.remoteAddress ?? '';
    if (this.#proxies.length === 0) return this.#keyOfAddress(address);
    return this.#keyOfAddress(this.#forwarded(request, address));
  }

  #keyOfAddress(address: string): string {
    const known = this.#keys.get(address);
    if (known !== undefined) return known;
    const key = clientKeyOf(address);
    this.#keys.set(address, key);
    return key;
  }

  #forwarded(request: IncomingMessage, address: string): string {
    const header = request.headers['x-forwarded-for'];
    const list = Array.isArray(header) ? header.join(',') : header;
    if (list === undefined || list.length > FORWARDED_CHARACTERS_MAX) return address;
    let client = address;
    for (const hop of list.split(',').reverse()) {
      if (!this.isProxy(client)) return client;
      const next = hop.trim();
      if (!ipaddr.isValid(next)) return client;
      client = next;
    }
    return client;
  }

  /** Whether an address is one of the proxies. */
  isProxy(text: string): boolean {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return this.#proxies.some(
      ([base, bits]) => base.kind() === address.kind() && address.match([base, bits] as never),
    );
  }
}

/** The key that the budgets of an address are counted under. */
export function clientKeyOf(text: string): string {
  if (!ipaddr.isValid(text)) return UNKNOWN;
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  const { parts } = address as ipaddr.IPv6;
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

export function isLoopbackKey(key: string): boolean {
  return key === '0:0:0:0::/64' || key.startsWith('127.');
}

function parseNetwork(text: string): Network {
  const [base, bits] = ipaddr.parseCIDR(text);
  return [base, bits];
}

function wholeAddress(address: Address): Network {
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

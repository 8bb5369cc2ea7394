/**
 * Which names a node answers to. A page that has its own name point here (DNS rebinding) sends that name as
 * Host and is refused.
 */
import { isIPv6 } from 'node:net';

const OWN_NAMES = ['127.0.0.1', 'localhost', '[::1]'];
const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9.-]{1,253})(?::([0-9]{1,5}))?$/;

export class HostGuard {
  readonly #names: ReadonlySet<string>;
  /** Host headers that were allowed before; there are few, since each is a served name with a port. */
  readonly #known = new Set<string>();
  /** The one of them that came last, since most come again. */
  #last: string | undefined;

  /** Names are host names or IP addresses, without a port. */
  constructor(names: readonly string[]) {
    this.#names = new Set([...OWN_NAMES, ...names.map(asHost)]);
  }

  /** Whether a Host header names this node. */
  allows(header: string | undefined): boolean {
    if (header === undefined) return false;
    if (header === this.#last || this.#known.has(header)) {
      this.#last = header;
      return true;
    }
    const [, name, port] = HOST.exec(header.toLowerCase()) ?? [];
    if (name === undefined || !this.#names.has(name)) return false;
    if (port !== undefined && (Number(port) === 0 || Number(port) > 65_535)) return false;
    if (this.#known.size < 64) this.#known.add(header);
    return true;
  }
}

function asHost(name: string): string {
  const plain = name.toLowerCase();
  return isIPv6(plain) ? `[${plain}]` : plain;
}

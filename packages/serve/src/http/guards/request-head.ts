/**
 * The head of a request: the one plain form of its target, the names that the API answers to, and the origins whose pages
 * may call it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Refusal } from '../../refusal/refused.ts';

const TARGET_CHARACTERS_MAX = 2_048;
/** `/ui/` is how people write the address of the page; nothing else ends with a slash. */
const PATH = /^(?:\/|\/ui\/|(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+)$/;
const QUERY = /^[\x21\x24-\x3b\x3d\x3f-\x5f\x61-\x7a\x7e]*$/;

export function targetFault(target: string): Refusal | undefined {
  if (target.length > TARGET_CHARACTERS_MAX) {
    return bad(`expected at most ${TARGET_CHARACTERS_MAX} characters`);
  }
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  if (!PATH.test(path)) return bad('expected a plain path, such as /v1/chain/head');
  if (mark !== -1 && !QUERY.test(target.slice(mark + 1))) return bad('expected a plain query');
  return undefined;
}

function bad(message: string): Refusal {
  return { code: 'bad_target', message };
}

const OWN_NAMES = ['127.0.0.1', 'localhost', '[::1]'];
const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9.-]{1,253})(?::([0-9]{1,5}))?$/;

/**
 * Which names a node answers to. A page that has its own name point here (DNS rebinding) sends that name as
 * Host and is refused.
 */
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

export type OriginVerdict = 'none' | 'same' | 'admitted' | 'refused';

/**
 * Which web pages may call: those of origins that the operator admitted, and those that this node served
 * itself. Programs that are no browsers send no Origin; browsers leave it out of plain reads (`<img>`, `no-cors`), and
 * say there by `Sec-Fetch-Site` whose page asks.
 */
export class OriginGuard {
  readonly #admitted: ReadonlySet<string>;

  /** Origins exactly as browsers send them. */
  constructor(admitted: readonly string[]) {
    this.#admitted = new Set(admitted);
  }

  /** The caller must have checked the Host header with `HostGuard` before. */
  judge(origin: string | undefined, host: string): OriginVerdict {
    if (origin === undefined) return 'none';
    if (this.#admitted.has(origin)) return 'admitted';
    const own = host.toLowerCase();
    return origin === `http://${own}` || origin === `https://${own}` ? 'same' : 'refused';
  }
}

/** Whether a page of somewhere else asks without an Origin. A link that a reader follows is no page that asks. */
export function isFromForeignPage(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document';
}

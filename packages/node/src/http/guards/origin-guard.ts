/**
 * Which web pages may call: those of origins that the operator admitted, and those that this node served
 * itself. Programs that are no browsers send no Origin; browsers leave it out of plain reads (`<img>`, `no-cors`), and
 * say there by `Sec-Fetch-Site` whose page asks.
 */
import type { IncomingHttpHeaders } from 'node:http';

export type OriginVerdict = 'none' | 'same' | 'admitted' | 'refused';

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

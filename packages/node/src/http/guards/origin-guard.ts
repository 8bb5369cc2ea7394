/**
 * Which web pages may call: those of origins that the operator admitted, and those that this node served
 * itself. Programs that are no browsers send no Origin.
 */
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

/**
 * Bans. Offences add points to a source (the part of an address that the shell chooses); points fade. A source that
 * reaches the limit is banned, for longer each time. The number of remembered sources is bounded: the one that
 * offended longest ago is forgotten first.
 */
export const OFFENCES = {
  /** Bytes that are no message, a line that is too long, a message out of order. */
  protocol: 25,
  /** More messages than a miner needs. */
  flood: 10,
  /** Shares that are wrong by the miner's own doing. */
  low_difficulty: 2,
  wrong_prefix: 5,
  unknown_job: 1,
  duplicate: 1,
  /** Connections that were closed for silence. */
  silent: 5,
} as const;

export type Offence = keyof typeof OFFENCES;

export interface BanOptions {
  readonly pointsMax?: number;
  readonly banMillis?: number;
  /** A point fades in this time. */
  readonly fadeMillis?: number;
  readonly sourcesMax?: number;
}

interface Entry {
  points: number;
  at: number;
  bans: number;
  until: number;
}

const DEFAULTS = {
  pointsMax: 100,
  banMillis: 60_000,
  fadeMillis: 1_000,
  sourcesMax: 16_384,
} as const;
/** A ban grows at most to this many times the first. */
const GROWTH_MAX = 64;

export class BanBook {
  readonly #options: Required<BanOptions>;
  readonly #entries = new Map<string, Entry>();
  #bans = 0;

  constructor(options: BanOptions = {}) {
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Bans since the start. */
  get bans(): number {
    return this.#bans;
  }

  /** Sources that are banned now. */
  active(nowMillis: number): { readonly source: string; readonly untilMillis: number }[] {
    return [...this.#entries]
      .filter(([, { until }]) => until > nowMillis)
      .map(([source, { until }]) => ({ source, untilMillis: until }));
  }

  isBanned(source: string, nowMillis: number): boolean {
    return (this.#entries.get(source)?.until ?? 0) > nowMillis;
  }

  /** Whether the source is banned after this offence. */
  record(source: string, offence: Offence, nowMillis: number): boolean {
    const { pointsMax, banMillis, sourcesMax } = this.#options;
    const entry = this.#faded(source, nowMillis);
    this.#entries.delete(source);
    this.#entries.set(source, entry);
    for (const oldest of this.#entries.keys())
      if (this.#entries.size > sourcesMax) this.#entries.delete(oldest);
      else break;
    if (entry.until > nowMillis) return true;
    entry.points += OFFENCES[offence];
    if (entry.points < pointsMax) return false;
    entry.until = nowMillis + banMillis * Math.min(GROWTH_MAX, 2 ** entry.bans);
    entry.points = 0;
    entry.bans++;
    this.#bans++;
    return true;
  }

  #faded(source: string, nowMillis: number): Entry {
    const entry = this.#entries.get(source) ?? { points: 0, at: nowMillis, bans: 0, until: 0 };
    const faded = Math.max(0, Math.trunc((nowMillis - entry.at) / this.#options.fadeMillis));
    entry.points = Math.max(0, entry.points - faded);
    entry.at += faded * this.#options.fadeMillis;
    return entry;
  }
}

/**
 * Shares of a pool's reward: by the work of the last shares before a block was found. The window is measured in work
 * (the sum of difficulties), never in time. Whole atoms: what a division leaves over goes to the next distribution,
 * so that no atom is made and none is lost.
 */
export interface WindowEntry {
  readonly account: string;
  readonly work: bigint;
}

export interface Distribution {
  /** Ordered by account; only accounts that receive something. */
  readonly credits: readonly { readonly account: string; readonly atoms: bigint }[];
  readonly fee: bigint;
  /** Goes into the next distribution. */
  readonly leftover: bigint;
}

export interface DistributionRequest {
  readonly reward: bigint;
  /** What the distribution before left over. */
  readonly carried: bigint;
  /** The pool's own part of the reward, in hundredths of a percent. */
  readonly feeBasisPoints: bigint;
  readonly window: readonly WindowEntry[];
}

const BASIS_POINTS = 10_000n;

/** Credits, fee and leftover add up to the reward and what was carried. */
export function distribute(request: DistributionRequest): Distribution {
  const { reward, carried, feeBasisPoints } = request;
  if (reward < 0n || carried < 0n) throw new RangeError('amounts are not negative');
  if (feeBasisPoints < 0n || feeBasisPoints > BASIS_POINTS)
    throw new RangeError('a fee is 0 to 10,000 basis points');
  const work = workByAccount(request.window);
  const total = [...work.values()].reduce((sum, each) => sum + each, 0n);
  if (total === 0n) return { credits: [], fee: 0n, leftover: reward + carried };
  const fee = (reward * feeBasisPoints) / BASIS_POINTS;
  const shared = reward - fee + carried;
  const credits = [...work]
    .map(([account, each]) => ({ account, atoms: (shared * each) / total }))
    .filter(({ atoms }) => atoms > 0n)
    .toSorted((a, b) => (a.account < b.account ? -1 : a.account > b.account ? 1 : 0));
  const given = credits.reduce((sum, { atoms }) => sum + atoms, 0n);
  return { credits, fee, leftover: shared - given };
}

function workByAccount(window: readonly WindowEntry[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { account, work } of window) {
    if (work < 0n) throw new RangeError('work is not negative');
    sums.set(account, (sums.get(account) ?? 0n) + work);
  }
  return sums;
}

/**
 * The newest entries whose work fills the window; the oldest of them counts for the part that fits. `newestFirst`
 * may be longer than needed: it is read no further.
 */
export function windowOf(newestFirst: Iterable<WindowEntry>, windowWork: bigint): WindowEntry[] {
  const window: WindowEntry[] = [];
  let room = windowWork;
  for (const { account, work } of newestFirst) {
    if (room <= 0n) break;
    const counted = work < room ? work : room;
    if (counted > 0n) window.push({ account, work: counted });
    room -= counted;
  }
  return window;
}

/** The window kept up to date share by share, in memory that the window bounds. */
export class PplnsWindow {
  readonly #windowWork: bigint;
  /** Oldest first; the front is cut off in steps. */
  #entries: WindowEntry[] = [];
  #front = 0;
  #total = 0n;

  constructor(windowWork: bigint) {
    if (windowWork < 1n) throw new RangeError('a window holds some work');
    this.#windowWork = windowWork;
  }

  /** At most the size of the window. */
  get total(): bigint {
    return this.#total;
  }

  add(account: string, work: bigint): void {
    if (work < 1n) throw new RangeError('a share stands for some work');
    const last = this.#entries.at(-1);
    const isSame = last?.account === account && this.#entries.length > this.#front;
    if (isSame) this.#entries[this.#entries.length - 1] = { account, work: last.work + work };
    else this.#entries.push({ account, work });
    this.#total += work;
    this.#trim();
  }

  /** The current window, newest first. */
  snapshot(): WindowEntry[] {
    return this.#entries.slice(this.#front).toReversed();
  }

  #trim(): void {
    while (this.#total > this.#windowWork) {
      const { account, work } = this.#entries[this.#front] as WindowEntry;
      const excess = this.#total - this.#windowWork;
      if (work > excess) this.#entries[this.#front] = { account, work: work - excess };
      else this.#front++;
      this.#total -= work > excess ? excess : work;
    }
    if (this.#front < 1_024 || 2 * this.#front < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#front);
    this.#front = 0;
  }
}

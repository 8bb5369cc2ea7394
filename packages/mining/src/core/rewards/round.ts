/**
 * A round: the reward of one paid block of a pool and its distribution. Rounds are published, each with a root that
 * commits to the round and to all rounds before it; a payout carries the newest root. Any reader of a round can
 * compute everything here again. It needs the kernel for its hashes.
 */
import { toHex } from 'svc-wasm/base';
import { sha384 } from 'svc-wasm/kernel';
import { distribute, type WindowEntry } from './pplns.ts';

export type RoundMode = 'pplns' | 'solo';

export interface RoundEntry {
  readonly address: string;
  /** What the address contributed to the window. */
  readonly work: bigint;
  readonly atoms: bigint;
}

export interface RoundTerms {
  readonly number: number;
  /** Root of the round before; zeros for the first. */
  readonly previousRoot: string;
  readonly mode: RoundMode;
  readonly blockId: string;
  readonly reward: bigint;
  readonly feeBasisPoints: bigint;
  /** Atoms that the round before left over. */
  readonly carried: bigint;
  /** The size of the window in work, and the heights at which its first and last shares came in. */
  readonly windowWork: bigint;
  readonly fromHeight: number;
  readonly toHeight: number;
}

export interface Round extends RoundTerms {
  readonly fee: bigint;
  readonly leftover: bigint;
  /** Ordered by address, each address once. */
  readonly entries: readonly RoundEntry[];
}

export const FIRST_ROOT: string = '0'.repeat(96);

const LEAF = 'svc-pool-leaf';
const INNER = 'svc-pool-inner';
const ROUND = 'svc-pool-round';
const encoder = new TextEncoder();

/** Distributes a block's reward over a window; the newest or the oldest share may come first. */
export function closeRound(terms: RoundTerms, window: readonly WindowEntry[]): Round {
  const { reward, feeBasisPoints, carried, mode } = terms;
  // The carried amount belongs to the miners of the shared window.
  const shared = mode === 'pplns' ? carried : 0n;
  const { credits, fee, leftover } = distribute({
    reward,
    feeBasisPoints,
    carried: shared,
    window,
  });
  const atomsOf = new Map(credits.map(({ account, atoms }) => [account, atoms]));
  const work = new Map<string, bigint>();
  for (const { account, work: more } of window) work.set(account, (work.get(account) ?? 0n) + more);
  const entries = [...work]
    .map(([address, sum]) => ({ address, work: sum, atoms: atomsOf.get(address) ?? 0n }))
    .toSorted((a, b) => (a.address < b.address ? -1 : 1));
  return { ...terms, fee, leftover: leftover + carried - shared, entries };
}

/** The root of the entries: a binary tree in their order, whose odd last node moves up as it is. */
export function entriesRoot(entries: readonly RoundEntry[]): string {
  let row = entries.map(({ address, work, atoms }) =>
    sha384(encoder.encode(`${LEAF}\n${address}\n${work}\n${atoms}\n`)),
  );
  if (row.length === 0) return FIRST_ROOT;
  while (row.length > 1) {
    const above: Uint8Array[] = [];
    for (let at = 0; at < row.length; at += 2) {
      const left = row[at] as Uint8Array;
      const right = row[at + 1];
      above.push(right === undefined ? left : hashInner(left, right));
    }
    row = above;
  }
  return toHex(row[0] as Uint8Array);
}

function hashInner(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha384(encoder.encode(`${INNER}\n${toHex(left)}\n${toHex(right)}\n`));
}

/** Commits to the round and, through the root before it, to every earlier one. */
export function roundRoot(round: Round): string {
  const lines = [
    ROUND,
    round.previousRoot,
    round.number,
    round.mode,
    round.blockId,
    round.reward,
    round.feeBasisPoints,
    round.fee,
    round.carried,
    round.leftover,
    round.windowWork,
    round.fromHeight,
    round.toHeight,
    entriesRoot(round.entries),
  ];
  return toHex(sha384(encoder.encode(`${lines.join('\n')}\n`)));
}

/** The text that a payout carries. */
export function payoutText(round: number, root: string): string {
  return `svc-pool round ${round} ${root}`;
}

const PAYOUT_TEXT = /^svc-pool round ([1-9][0-9]{0,15}) ([0-9a-f]{96})$/;

export function parsePayoutText(
  text: string,
): { readonly round: number; readonly root: string } | undefined {
  const [, round, root] = PAYOUT_TEXT.exec(text) ?? [];
  return round === undefined || root === undefined ? undefined : { round: Number(round), root };
}

/** The inconsistencies within a published round; an empty list if there are none. */
export function roundFaults(round: Round): string[] {
  const faults: string[] = [];
  const window = round.entries.map(({ address, work }) => ({ account: address, work }));
  const again = closeRound(round, window);
  const isOrdered =
    again.entries.length === round.entries.length &&
    again.entries.every(({ address }, at) => address === round.entries[at]?.address);
  if (!isOrdered) return ['the entries are not ordered by address, each address once'];
  for (const [at, { address, atoms }] of round.entries.entries())
    if (again.entries[at]?.atoms !== atoms)
      faults.push(`${address} is given ${atoms} atoms instead of ${again.entries[at]?.atoms}`);
  if (again.fee !== round.fee) faults.push(`the fee is ${round.fee} instead of ${again.fee}`);
  if (again.leftover !== round.leftover)
    faults.push(`${round.leftover} atoms are left over instead of ${again.leftover}`);
  const work = round.entries.reduce((sum, entry) => sum + entry.work, 0n);
  if (work > round.windowWork) faults.push('the entries have more work than the window holds');
  return faults;
}

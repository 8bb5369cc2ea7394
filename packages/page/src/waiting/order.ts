/**
 * The order in which waiting transactions are shown: those of the next block first, the best paid in front, then the rest.
 */
import type { PendingTransaction } from 'svc-api';
import { nextBlock } from './next-block.ts';

export interface WaitingItem {
  readonly row: PendingTransaction;
  /** Its mass. */
  readonly size: number;
  readonly bytes: number;
  /** Atoms a mass. */
  readonly rate: number;
}

export interface Ordered {
  readonly items: readonly WaitingItem[];
  /** How many of them the next block would carry; they come first. */
  readonly next: number;
}

export function inOrder(waiting: readonly PendingTransaction[]): Ordered {
  const sized = waiting.map((row) => {
    const size = Number(row.mass);
    return { row, size, bytes: row.bytes, rate: size === 0 ? 0 : Number(row.fee) / size };
  });
  sized.sort((a, b) => b.rate - a.rate);
  const taken = nextBlock(sized.map(({ size, bytes }) => ({ mass: size, bytes })));
  const isTaken = (_: WaitingItem, place: number) => taken.has(place);
  const items = [...sized.filter(isTaken), ...sized.filter((item, place) => !isTaken(item, place))];
  return { items, next: taken.size };
}

/**
 * Randomness for the draw among equals. It decides no more than an order, but miners must not foresee it.
 */
import { randomInt } from 'node:crypto';

export interface Random {
  /** A whole number from 0 up to but not including the limit, each as likely. */
  below(limit: number): number;
}

export const SYSTEM_RANDOM: Random = { below: (limit) => randomInt(limit) };

/** The numbers from 0 up to a count in random order; only as much is drawn as is asked for. */
export function* shuffled(count: number, random: Random): Generator<number, void> {
  const moved = new Map<number, number>();
  for (let place = 0; place < count; place++) {
    const drawn = place + random.below(count - place);
    yield moved.get(drawn) ?? drawn;
    moved.set(drawn, moved.get(place) ?? place);
    moved.delete(place);
  }
}

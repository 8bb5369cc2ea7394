/**
 * What an adversary of the campaign is, and what is reported of it.
 */
import { type TestEnd, until } from 'svc-base/testing';

export interface Finding {
  /** What honest users get without the adversary. */
  readonly alone: string;
  /** What they get while it attacks. */
  readonly beside: string;
  /** What the adversary got. */
  readonly attacker: string;
  /** What honest users must get. */
  readonly demand: string;
  readonly holds: boolean;
}

/** Plays against fresh nodes; `size` multiplies how many attackers there are. */
export type Adversary = (size: number) => Promise<Finding>;

/** Runs something that closes what it opens as a test does; all of it is closed when it is over. */
export async function closing<T>(run: (t: TestEnd) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = [];
  try {
    return await run({ after: (end) => ends.push(end) });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** Seconds until a condition holds, or undefined if it does not within so many. */
export async function secondsUntil(
  holds: () => boolean,
  secondsMax: number,
): Promise<number | undefined> {
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1_000;
  let found: number | undefined;
  await until(() => {
    if (holds()) found = seconds();
    return found !== undefined || seconds() > secondsMax;
  }, `a condition, at most ${secondsMax} s`);
  return found;
}

/** How long something took that was waited for with `secondsUntil`. */
export function took(seconds: number | undefined, secondsMax: number): string {
  return seconds === undefined ? `not within ${secondsMax} s` : `in ${seconds.toFixed(1)} s`;
}

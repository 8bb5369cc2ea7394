/**
 * Mutants that no seed kills in reasonable time, and plans of tests do.
 */
import {
  decodeSignState,
  type SignPosition,
  type SignState,
  type SignStateStorage,
  TIMING,
} from 'svc-consensus/machine';
import { type Mutant, mutant } from '../src/mutants/mutants.ts';
import type { Disk } from '../src/world/disk.ts';
import { PROTOCOL } from '../src/world/protocol.ts';

/** Its chain is slow and does not stop: skewed clocks show it. */
export const AHEAD_NOT_WIDENED: Mutant = mutant(
  'aheadNotWidened',
  'a cut may be as little ahead of the clock in later rounds as in the first',
  {
    rules: {
      ...PROTOCOL.rules,
      timing: { ...TIMING, cutTimeAheadMsMax: TIMING.clockPrecisionMs },
    },
  },
);

/** Restarts within a silence are rare: a plan that has them is in the tests. */
export const SILENCE_FORGOTTEN: Mutant = mutant(
  'silenceForgotten',
  'the silence of a key that has signed is forgotten in a restart',
  { signStateOf: forgetfulSignState },
);

/** The disk keeps what was signed, and no silence of a key that has signed. */
function forgetfulSignState({ signState: file }: Disk): SignStateStorage {
  let isKept = true;
  return {
    read: () => file.read(),
    writeTemporary(bytes) {
      const before = file.read();
      const { last, stopped } = decodeSignState(bytes) as SignState;
      const known = before === undefined ? undefined : decodeSignState(before)?.last;
      isKept = stopped || last === undefined || !isSamePosition(last, known);
      if (isKept) file.writeTemporary(bytes);
    },
    syncTemporary: () => isKept && file.syncTemporary(),
    renameTemporary: () => isKept && file.renameTemporary(),
    syncDirectory: () => isKept && file.syncDirectory(),
  };
}

function isSamePosition(a: SignPosition, b: SignPosition | undefined): boolean {
  return a.height === b?.height && a.round === b.round && a.step === b.step;
}

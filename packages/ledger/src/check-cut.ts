/**
 * Whether a proposed cut can be applied to a state: everything that `applyCut` takes for granted.
 */

import { present } from './assertion.ts';
import type { CutInput } from './cut.ts';
import { type LedgerParameters, setStart } from './parameters.ts';
import { SINGLE_KEY } from './records.ts';
import { type EvidenceFault, evidenceFault } from './rules/equivocation.ts';
import { blocksToExecute } from './rules/execute-blocks.ts';
import { earliestMillis } from './rules/pace.ts';
import { type RegistrationFault, registrationFault } from './rules/registration.ts';
import type { StateView } from './view.ts';

export type CutFault =
  | { readonly part: 'height' | 'time' | 'signers' | 'executed' }
  | { readonly part: 'registered'; readonly fault: RegistrationFault }
  | { readonly part: 'evidence'; readonly fault: EvidenceFault };

/** The first thing that is wrong with the cut, or null. */
export function checkCut(
  parameters: LedgerParameters,
  view: StateView,
  input: CutInput,
): CutFault | null {
  const { height, registered, evidence } = input;
  const economy = present(view.get('economy', SINGLE_KEY), 'economy');
  if (height !== economy.height + 1) return { part: 'height' };
  if (!(input.timeMillis >= earliestMillis(economy))) return { part: 'time' };
  if (!signersHold(parameters, view, input)) return { part: 'signers' };
  const expected = blocksToExecute(view, height);
  const executes =
    input.executed.length === expected.length &&
    input.executed.every(({ id }, index) => id === expected[index]?.id);
  if (!executes) return { part: 'executed' };
  const registration = registrationFault(view, height, registered);
  if (registration !== null) return { part: 'registered', fault: registration };
  const offence = evidenceFault(view, parameters, height, evidence);
  return offence === null ? null : { part: 'evidence', fault: offence };
}

/** Bits are within the set; in the first cut of a set they name members of the set before. */
function signersHold(parameters: LedgerParameters, view: StateView, input: CutInput): boolean {
  const { height, previousSigners } = input;
  if (previousSigners < 0n || previousSigners >> 64n !== 0n) return false;
  if (height === setStart(parameters, height)) return true;
  const { members } = present(view.get('epoch', SINGLE_KEY), 'epoch');
  return previousSigners >> BigInt(members.length) === 0n;
}

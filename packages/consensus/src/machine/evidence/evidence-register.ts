/**
 * Which offences the chain has accepted, and since when, so that none counts twice. Entries older
 * than the age limit are forgotten: evidence of that age is refused anyway.
 */
import type { Height } from '../base/types.ts';
import type { Evidence, EvidenceFault, EvidencePorts } from './evidence.ts';
import { checkEvidence, evidenceAgeMax, offenceKey } from './evidence.ts';

/** Offence to the height at which it was committed. */
export type EvidenceRegister = ReadonlyMap<string, Height>;

export const EVIDENCE_PER_CUT_MAX = 4;

export type Acceptance =
  | { readonly type: 'accepted'; readonly register: EvidenceRegister; readonly validator: string }
  | { readonly type: 'refused'; readonly reason: EvidenceFault | 'already_accepted' };

export function acceptEvidence(
  register: EvidenceRegister,
  evidence: Evidence,
  chainHeight: Height,
  ports: EvidencePorts,
): Acceptance {
  const { first } = evidence;
  const fault = checkEvidence(evidence, chainHeight, ports);
  if (fault !== undefined) return { type: 'refused', reason: fault };
  const validator = ports.validatorAt(first.height, first.validatorIndex) as string;
  const key = offenceKey(validator, first);
  if (register.has(key)) return { type: 'refused', reason: 'already_accepted' };
  return { type: 'accepted', register: new Map(register).set(key, first.height), validator };
}

export function forgetOldOffences(
  register: EvidenceRegister,
  chainHeight: Height,
  interval: number,
): EvidenceRegister {
  const oldest = chainHeight - evidenceAgeMax(interval);
  const kept = [...register].filter(([, height]) => height >= oldest);
  return kept.length === register.size ? register : new Map(kept);
}

/**
 * All invariants, made fresh for one world.
 */
import type { Checker } from './checker.ts';
import { boundedMemory, boundedWork, honestHeard, verifiedOnce } from './limits.ts';
import { evidence, evidenceCompleteness } from './offences.ts';
import { attendance, claimsObtainable, pace, rounds, timeouts } from './progress.ts';
import {
  agreement,
  certificates,
  durability,
  honestVotes,
  oneProcess,
  singleSignature,
} from './safety.ts';

export function createCheckers(): Checker[] {
  return [
    agreement(),
    singleSignature(),
    oneProcess(),
    durability(),
    honestVotes(),
    certificates(),
    evidence(),
    evidenceCompleteness(),
    rounds(),
    timeouts(),
    boundedMemory(),
    attendance(),
    pace(),
    verifiedOnce(),
    boundedWork(),
    honestHeard(),
    claimsObtainable(),
  ];
}

/**
 * All invariants, made fresh for one world.
 */
import { agreement } from './agreement.ts';
import { attendance } from './attendance.ts';
import { boundedMemory } from './bounded-memory.ts';
import { boundedWork } from './bounded-work.ts';
import { certificates } from './certificates.ts';
import type { Checker } from './checker.ts';
import { claimsObtainable } from './claims-obtainable.ts';
import { durability } from './durability.ts';
import { evidence } from './evidence.ts';
import { evidenceCompleteness } from './evidence-completeness.ts';
import { honestHeard } from './honest-heard.ts';
import { honestVotes } from './honest-votes.ts';
import { oneProcess } from './one-process.ts';
import { pace } from './pace.ts';
import { rounds } from './rounds.ts';
import { singleSignature } from './single-signature.ts';
import { timeouts } from './timeouts.ts';
import { verifiedOnce } from './verified-once.ts';

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

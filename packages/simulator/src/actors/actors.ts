/**
 * Every way of being Byzantine, by name.
 */
import type { Behaviour } from './behaviour.ts';
import { bogusBitmap } from './bogus-bitmap.ts';
import { eagerVoter } from './eager-voter.ts';
import { evidenceSplitter } from './evidence-splitter.ts';
import { falseValidRound } from './false-valid-round.ts';
import { invalidCut } from './invalid-cut.ts';
import { late } from './late.ts';
import { mutator } from './mutator.ts';
import { repeatedEvidence } from './repeated-evidence.ts';
import { roundPusher } from './round-pusher.ts';
import { silent } from './silent.ts';
import { staleCertificates } from './stale-certificates.ts';
import { twins } from './twins.ts';
import { withheldBodies } from './withheld-bodies.ts';
import { wrongProposer } from './wrong-proposer.ts';

export const ACTORS = {
  twins,
  eagerVoter,
  silent,
  late,
  falseValidRound,
  wrongProposer,
  invalidCut,
  withheldBodies,
  bogusBitmap,
  staleCertificates,
  roundPusher,
  mutator,
  repeatedEvidence,
  evidenceSplitter,
} as const satisfies Record<string, Behaviour>;

export type ActorName = keyof typeof ACTORS;

export const ACTOR_NAMES: readonly ActorName[] = Object.keys(ACTORS) as ActorName[];

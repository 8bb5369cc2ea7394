/**
 * Every way of being Byzantine, by name.
 */
import type { ActorName } from './actor-names.ts';
import type { Behaviour } from './behaviour.ts';
import { bogusBitmap } from './bogus-bitmap.ts';
import { claimSplitter } from './claim-splitter.ts';
import { eagerVoter } from './eager-voter.ts';
import { evidenceSplitter } from './evidence-splitter.ts';
import { falseValidRound } from './false-valid-round.ts';
import { glutton } from './glutton.ts';
import { inboxFlood } from './inbox-flood.ts';
import { invalidCut } from './invalid-cut.ts';
import { late } from './late.ts';
import { mutator } from './mutator.ts';
import { pretender } from './pretender.ts';
import { repeatedEvidence } from './repeated-evidence.ts';
import { replayer } from './replayer.ts';
import { risingRounds } from './rising-rounds.ts';
import { roundPusher } from './round-pusher.ts';
import { silent } from './silent.ts';
import { staleCertificates } from './stale-certificates.ts';
import { plainTwins, twins } from './twins.ts';
import { withheldBodies } from './withheld-bodies.ts';
import { wrongProposer } from './wrong-proposer.ts';

export const ACTORS: Readonly<Record<ActorName, Behaviour>> = {
  twins,
  plainTwins,
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
  glutton,
  risingRounds,
  replayer,
  inboxFlood,
  pretender,
  claimSplitter,
};

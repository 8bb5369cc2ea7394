/**
 * Every way of being Byzantine, by name.
 */
import type { ActorName } from './actor-names.ts';
import type { Behaviour } from './behaviour.ts';
import { claimSplitter } from './claim-splitter.ts';
import { glutton } from './glutton.ts';
import { mutator } from './mutator.ts';
import { pretender } from './pretender.ts';
import { replayer } from './replayer.ts';
import {
  bogusBitmap,
  eagerVoter,
  evidenceSplitter,
  falseValidRound,
  inboxFlood,
  invalidCut,
  late,
  plainTwins,
  repeatedEvidence,
  risingRounds,
  roundPusher,
  silent,
  twins,
  withheldBodies,
  wrongProposer,
} from './simple-actors.ts';
import { staleCertificates } from './stale-certificates.ts';

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

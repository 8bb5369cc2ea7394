/**
 * Every way of being Byzantine, by name.
 */

import type { Behaviour } from '../node/node.ts';
import type { ActorName } from './actor-names.ts';
import { claimSplitter } from './claim-splitter.ts';
import {
  bogusBitmap,
  eagerVoter,
  evidenceSplitter,
  falseValidRound,
  inboxFlood,
  invalidCut,
  late,
  mutator,
  plainTwins,
  repeatedEvidence,
  risingRounds,
  roundPusher,
  silent,
  staleCertificates,
  twins,
  withheldBodies,
  wrongProposer,
} from './lying-actors.ts';
import { glutton, pretender, replayer } from './noisy-actors.ts';

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

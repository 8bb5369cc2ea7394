/**
 * The names of all ways of being Byzantine, apart from what they do: plans draw from them before there is any node.
 * Seeds draw by position, so a new name goes to the end.
 */
export const ACTOR_NAMES = [
  'twins',
  'eagerVoter',
  'silent',
  'late',
  'falseValidRound',
  'wrongProposer',
  'invalidCut',
  'withheldBodies',
  'bogusBitmap',
  'staleCertificates',
  'roundPusher',
  'mutator',
  'repeatedEvidence',
  'evidenceSplitter',
] as const;

/** Drawn apart, so that seeds without them stay what they are. */
export const LATE_ACTOR_NAMES = ['glutton'] as const;

/** Drawn apart once more: they send more than a validator may make others check. */
export const NOISY_ACTOR_NAMES = ['risingRounds', 'replayer', 'inboxFlood', 'pretender'] as const;
/** Drawn with plans of their own: whom it cuts off belongs to the plan. */
export const CLAIM_SPLITTER = 'claimSplitter';

/** Never drawn by a seed: two processes of one key that send everything to all that their links reach. */
const PLAIN_TWINS = 'plainTwins';

export type ActorName =
  | (typeof ACTOR_NAMES)[number]
  | (typeof LATE_ACTOR_NAMES)[number]
  | (typeof NOISY_ACTOR_NAMES)[number]
  | typeof CLAIM_SPLITTER
  | typeof PLAIN_TWINS;

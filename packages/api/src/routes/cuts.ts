/**
 * Finalized cuts: what each is, what it did, and who signed it.
 */
import { type Static, Type } from 'typebox';
import { CutChange, Outpoint } from '../base/references.ts';
import { HeightParams, Limit, NextCursor, pageQuery, strict } from '../base/request.ts';
import { finalized, routesOf } from '../base/route.ts';
import { Atoms, Count, Height, Hex, Identifier, Millis } from '../base/scalars.ts';
import { OutputAmount, RewardAmount } from './blocks.ts';
import { CutTransaction } from './transactions.ts';

const SUMMARY_FIELDS = {
  height: Height,
  cut_id: Identifier,
  state_root: Identifier,
  validator_set_id: Identifier,
  time_millis: Millis,
  proposer: Type.Integer({
    minimum: 0,
    description: 'Place of the first proposer in the validator set.',
  }),
  registered_work: Count,
  executed_work: Type.Union([Count, Type.Null()], {
    description: 'Null where the node no longer keeps what the cut did.',
  }),
  transactions: Type.Union([Count, Type.Null()]),
};

export const CutSummary = Type.Object(SUMMARY_FIELDS);
export type CutSummary = Static<typeof CutSummary>;

export const WorkRewardEntry = Type.Object({
  block_id: Identifier,
  amount: RewardAmount,
  outpoint: Type.Union([Outpoint, Type.Null()]),
  output_amount: Type.Union([OutputAmount, Type.Null()]),
});

export const StakePayoutEntry = Type.Object({
  position: Identifier,
  validator: Identifier,
  epoch: Count,
  amount: Atoms,
  outpoint: Outpoint,
});

export const BurnEntry = Type.Object({
  cause: Type.Union([Type.Literal('output'), Type.Literal('equivocation')]),
  id: Identifier,
  amount: Atoms,
});

export const CutDetails = Type.Object({
  ...SUMMARY_FIELDS,
  epoch: Count,
  parent_cut_id: Identifier,
  next_validator_set_id: Identifier,
  outcome_root: Identifier,
  /** Its hash is the id of the cut, and nodes keep it for ever. */
  header_hex: Type.Optional(Hex),
  work_target: Hex,
  previous_round: Count,
  previous_signers: Type.Array(Count, {
    description: 'Places, in the validator set, of those who signed the cut before.',
  }),
  changes: Type.Union([Count, Type.Null()]),
  rewards: Type.Array(WorkRewardEntry),
  stake_payouts: Type.Array(StakePayoutEntry),
  burns: Type.Array(BurnEntry),
});
export type CutDetails = Static<typeof CutDetails>;

const define = routesOf('cuts');

export const Cuts = finalized({
  cuts: Type.Array(CutSummary, { description: 'Newest first.' }),
  next_before: Type.Optional(
    Type.Integer({ description: 'Goes on with the next page as `before`; absent on the last.' }),
  ),
});
export type Cuts = Static<typeof Cuts>;

const CUTS_PAGE = { default: 20, maximum: 100 } as const;

export const cuts = define({
  name: 'cuts',
  method: 'GET',
  path: '/v1/cuts',
  summary: 'Finalized cuts, newest first.',
  query: strict({
    before: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Only cuts below this height.',
      }),
    ),
    limit: Limit(CUTS_PAGE),
  }),
  answer: Cuts,
  page: CUTS_PAGE,
  weight: { base: 1, perItem: 0.1 },
  caching: 'revalidate',
});
export type CutsQuery = Static<typeof cuts.query>;

export const Cut = finalized({
  cut: CutDetails,
});
export type Cut = Static<typeof Cut>;

export const cut = define({
  name: 'cut',
  method: 'GET',
  path: '/v1/cuts/{height}',
  summary: 'One finalized cut with its rewards, payouts and burns.',
  params: HeightParams,
  answer: Cut,
  weight: { base: 1 },
  caching: 'immutable',
  extension: true,
  errors: ['not_yet', 'not_kept', 'not_found'],
});

export const CutTransactions = finalized({
  height: Height,
  transactions: Type.Array(CutTransaction, { description: 'In the order of execution.' }),
  next_cursor: NextCursor,
});
export type CutTransactions = Static<typeof CutTransactions>;

const CUT_TRANSACTIONS_PAGE = { default: 64, maximum: 64 } as const;

export const cutTransactions = define({
  name: 'cutTransactions',
  method: 'GET',
  path: '/v1/cuts/{height}/transactions',
  summary: 'Transactions that a cut executed, and what became of each.',
  params: HeightParams,
  query: pageQuery(CUT_TRANSACTIONS_PAGE),
  answer: CutTransactions,
  page: CUT_TRANSACTIONS_PAGE,
  weight: { base: 1, perItem: 0.02 },
  caching: 'immutable',
  errors: ['not_yet', 'not_kept', 'not_found', 'bad_cursor'],
});

export const CutChanges = finalized({
  height: Height,
  changes: Type.Array(CutChange),
  next_cursor: NextCursor,
});
export type CutChanges = Static<typeof CutChanges>;

const CUT_CHANGES_PAGE = { default: 1_024, maximum: 4_096 } as const;

export const cutChanges = define({
  name: 'cutChanges',
  method: 'GET',
  path: '/v1/cuts/{height}/changes',
  summary: 'Outputs that came and went in a cut.',
  params: HeightParams,
  query: pageQuery(CUT_CHANGES_PAGE),
  answer: CutChanges,
  page: CUT_CHANGES_PAGE,
  weight: { base: 1, perItem: 0.01 },
  caching: 'immutable',
  errors: ['not_yet', 'not_kept', 'not_found', 'bad_cursor'],
});

export const CutLeaves = finalized({
  height: Height,
  cut_id: Identifier,
  count: { ...Count, description: 'Leaves of the whole list.' },
  leaves_base64: Type.String({
    description: 'Leaves of 163 bytes, one after another, ascending by address.',
  }),
  next_cursor: NextCursor,
});
export type CutLeaves = Static<typeof CutLeaves>;

const CUT_LEAVES_PAGE = { default: 1_024, maximum: 4_096 } as const;

export const cutLeaves = define({
  name: 'cutLeaves',
  method: 'GET',
  path: '/v1/cuts/{height}/leaves',
  summary:
    'The leaves of all changes of a cut, as bytes in the order of the list that the changes root of its header commits to.',
  params: HeightParams,
  query: pageQuery(CUT_LEAVES_PAGE),
  answer: CutLeaves,
  page: CUT_LEAVES_PAGE,
  weight: { base: 1, perItem: 0.005 },
  caching: 'immutable',
  extension: true,
  errors: ['not_yet', 'not_kept', 'not_found', 'bad_cursor'],
});

export const CutCertificate = finalized({
  height: Height,
  cut_id: Identifier,
  validator_set_id: Identifier,
  round: Count,
  signers: Type.Array(Count, { description: 'Places in the validator set.' }),
  header_hex: Hex,
  certificate_hex: Hex,
});
export type CutCertificate = Static<typeof CutCertificate>;

export const cutCertificate = define({
  name: 'cutCertificate',
  method: 'GET',
  path: '/v1/cuts/{height}/certificate',
  summary: 'Header and certificate of a cut, for checking its signatures.',
  params: HeightParams,
  answer: CutCertificate,
  weight: { base: 4 },
  caching: 'immutable',
  extension: true,
  errors: ['not_yet', 'not_kept', 'not_found'],
});

export const CutValidators = finalized({
  height: Height,
  validator_set_id: Identifier,
  total_stake: Atoms,
  validators: Type.Array(Type.Object({ validator: Identifier, stake: Atoms, public_key: Hex }), {
    description: 'In the order of the signers of a certificate.',
  }),
  validator_set_hex: Hex,
});
export type CutValidators = Static<typeof CutValidators>;

export const cutValidators = define({
  name: 'cutValidators',
  method: 'GET',
  path: '/v1/cuts/{height}/validators',
  summary: 'The validator set that signs a cut, with keys and stakes.',
  params: HeightParams,
  answer: CutValidators,
  weight: { base: 10 },
  caching: 'revalidate',
  extension: true,
  errors: ['not_yet', 'not_kept', 'not_found'],
});

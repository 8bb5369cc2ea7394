/**
 * `GET /v1/staking/validators`.
 */
import { type Static, Type } from 'typebox';
import { Cursor, Limit, NextCursor, strict } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Count, FinalizedHeight } from '../base/scalars.ts';
import { ValidatorState, ValidatorSummary } from '../documents/validator.ts';

export const StakingValidators = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  epoch: Count,
  validators: Type.Array(ValidatorSummary, { description: 'By stake, the most first.' }),
  next_cursor: NextCursor,
});
export type StakingValidators = Static<typeof StakingValidators>;

const PAGE = { default: 100, maximum: 256 } as const;

export const stakingValidators = defineRoute({
  name: 'stakingValidators',
  method: 'GET',
  path: '/v1/staking/validators',
  group: 'staking',
  summary: 'Validators by stake, with state and attendance in the running epoch.',
  query: strict({
    state: Type.Optional(
      Type.Union(ValidatorState.anyOf, {
        description:
          'Only validators of this state. Without it removed ones are left out, unless they sit in the committee of the running epoch.',
      }),
    ),
    cursor: Type.Optional(Cursor),
    limit: Limit(PAGE),
  }),
  answer: StakingValidators,
  media: 'application/json',
  page: PAGE,
  weight: { base: 5, perItem: 0.05 },
  caching: 'revalidate',
  extension: true,
  errors: ['bad_cursor'],
});

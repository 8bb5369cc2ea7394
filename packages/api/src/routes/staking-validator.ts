/**
 * `GET /v1/staking/validators/{id}`.
 */
import { type Static, Type } from 'typebox';
import { IdParams } from '../base/params.ts';
import { strict } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Count, FinalizedHeight } from '../base/scalars.ts';
import { ValidatorDetails } from '../documents/validator.ts';

export const EPOCHS_MAX = 30;

export const StakingValidator = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  epoch: Count,
  validator: ValidatorDetails,
});
export type StakingValidator = Static<typeof StakingValidator>;

export const stakingValidator = defineRoute({
  name: 'stakingValidator',
  method: 'GET',
  path: '/v1/staking/validators/{id}',
  group: 'staking',
  summary: 'One validator, with its attendance in past epochs.',
  params: IdParams,
  query: strict({
    epochs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: EPOCHS_MAX,
        description: `How many past epochs to show; 14 unless given, at most ${EPOCHS_MAX}.`,
      }),
    ),
  }),
  answer: StakingValidator,
  media: 'application/json',
  weight: { base: 3 },
  caching: 'revalidate',
  extension: true,
  errors: ['not_found'],
});

/**
 * The document of `GET /v1/chain/rates`, which the mining listener serves too: what the network did over
 * its last cuts. Fractions are decimal strings, so that no reader has to round.
 */
import { type Static, Type } from 'typebox';
import { ApiVersion, Count, FinalizedHeight } from '../base/scalars.ts';

const Thousandths = (description: string) =>
  Type.String({ pattern: '^(0|[1-9][0-9]*)\\.[0-9]{3}$', description });

export const RatesDocument = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  window_cuts: Type.Integer({
    minimum: 0,
    description: 'Over how many of the last cuts the rates are taken; few on a young chain.',
  }),
  window_millis: Type.Integer({ minimum: 0, description: 'How long these cuts took.' }),
  hashrate: Type.String({
    pattern: '^(0|[1-9][0-9]*)$',
    description:
      'Hashes in a second, estimated from the targets of the blocks that were registered.',
  }),
  target: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'The target of blocks anchored to the finalized head, big-endian.',
  }),
  registered_blocks: Count,
  blocks_per_cut: Thousandths('Registered blocks in a cut.'),
  cut_millis: Type.Integer({ minimum: 0, description: 'The mean time from one cut to the next.' }),
  transactions: Type.Integer({ minimum: 0, description: 'Transactions finalized by these cuts.' }),
  transactions_per_second: Thousandths('Finalized transactions in a second.'),
});
export type RatesDocument = Static<typeof RatesDocument>;

/** `GET /v1/cuts/{height}/validators`. Sets are kept for as long as evidence against members is accepted. */
import type { ROUTES } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import { cutReference, expectCut } from '../../documents/cut-documents.ts';
import { Refused } from '../../refusal/refused.ts';
import type { Handler } from './handler.ts';

export const cutValidators: Handler<typeof ROUTES.cutValidators> = (
  { readers, services },
  { params },
) =>
  readers.read(async ({ reader, height }) => {
    const row = await expectCut(reader, params.height);
    const { validator_set_id } = cutReference(row);
    const set = services.chain.setAt(row.height);
    if (set === undefined || toHex(set.id) !== validator_set_id) {
      throw new Refused('not_kept', 'expected a height whose set is still kept', {
        path: 'height',
      });
    }
    const document = {
      api_version: 1,
      finalized_height: height,
      height: row.height,
      validator_set_id,
      total_stake: String(set.totalStake),
      validators: set.validators.map(({ id, stake, publicKey }) => ({
        validator: toHex(id),
        stake: String(stake),
        public_key: toHex(publicKey),
      })),
      validator_set_hex: toHex(set.encoded),
    } as const;
    return { height, document };
  });

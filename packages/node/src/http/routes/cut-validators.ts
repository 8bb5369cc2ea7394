/** `GET /v1/cuts/{height}/validators`. Only the set of the running epoch is in the state. */
import type { ROUTES } from 'svc-api';
import { bytesOf } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import { encodeValidatorSet } from 'svc-wasm/internal';
import { Refused } from '../answers/refused.ts';
import { cutReference, expectCut } from '../documents/cut-documents.ts';
import type { Handler } from './handler.ts';

export const cutValidators: Handler<typeof ROUTES.cutValidators> = ({ readers }, { params }) =>
  readers.read(async ({ reader, height }) => {
    const row = await expectCut(reader, params.height);
    const { validator_set_id } = cutReference(row);
    const { validatorSetId, members } = await reader.epoch();
    if (validatorSetId !== validator_set_id) {
      throw new Refused('not_kept', 'expected a height whose set still signs', { path: 'height' });
    }
    const set = encodeValidatorSet(
      members.map((member) => ({ ...member, id: bytesOf(member.validatorId) })),
    );
    const document = {
      api_version: 1,
      finalized_height: height,
      height: row.height,
      validator_set_id,
      total_stake: String(members.reduce((sum, { stake }) => sum + stake, 0n)),
      validators: members.map(({ validatorId, stake, publicKey }) => ({
        validator: validatorId,
        stake: String(stake),
        public_key: toHex(publicKey),
      })),
      validator_set_hex: toHex(set),
    } as const;
    return { height, document };
  });

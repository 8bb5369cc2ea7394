/** `GET /v1/staking/validators/{id}`. */
import type { ROUTES } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import { attendanceIn, validatorSummary } from '../../documents/validator-documents.ts';
import { Refused } from '../../refusal/refused.ts';
import { validatorsOf } from '../reading/validators.ts';
import type { Handler } from './handler.ts';

const EPOCHS_DEFAULT = 14;

export const stakingValidator: Handler<typeof ROUTES.stakingValidator> = (
  { readers, addresses, attendance },
  { params: { id }, query },
) =>
  readers.read(async (snapshot) => {
    const { height } = snapshot;
    const { byId, epoch } = await validatorsOf(snapshot);
    const validator = byId.get(id);
    if (validator === undefined) {
      throw new Refused('not_found', 'there is no such validator', { path: 'id' });
    }
    const { pendingKey } = validator;
    const past = attendance.ended(query.epochs ?? EPOCHS_DEFAULT);
    const document = {
      api_version: 1,
      finalized_height: height,
      epoch: epoch.epoch,
      validator: {
        ...validatorSummary({ id, validator }, epoch),
        owner_address: addresses.text(validator.ownerAddress),
        self_bond: validator.selfBondId,
        consensus_key: toHex(validator.consensusKey.publicKey),
        pending_key:
          pendingKey === null
            ? null
            : { consensus_key: toHex(pendingKey.value.publicKey), from_epoch: pendingKey.epoch },
        overlay_endpoint_hex: toHex(validator.endpoint),
        end_height: validator.endHeight === 0 ? null : validator.endHeight,
        history: past.flatMap((record) => attendanceIn(record, id) ?? []),
      },
    } as const;
    return { height, document };
  });

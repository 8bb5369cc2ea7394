/** `GET /v1/staking/validators`. A page goes on behind the stake and id of the last one. */
import { ROUTES } from 'svc-api';
import { type EpochRecord, livenessOf } from 'svc-ledger';
import {
  attendanceIn,
  compareByStake,
  type ValidatorRow,
  validatorSummary,
} from '../../documents/validator-documents.ts';
import { validatorsOf } from '../reading/validators.ts';
import { Cursors, type PositionForm } from '../requests/positions.ts';
import type { Handler } from './handler.ts';

const { name, page } = ROUTES.stakingValidators;

interface StakePosition {
  readonly stake: bigint;
  readonly id: string;
}

const STAKE_POSITION: PositionForm<StakePosition> = {
  bytes: 56,
  write({ stake, id }) {
    const bytes = Buffer.alloc(56);
    bytes.writeBigUInt64BE(stake);
    bytes.write(id, 8, 'hex');
    return bytes;
  },
  read: (bytes) => ({ stake: bytes.readBigUInt64BE(), id: bytes.toString('hex', 8) }),
};

export const stakingValidators: Handler<typeof ROUTES.stakingValidators> = (
  { readers },
  { query },
) =>
  readers.read(async (snapshot) => {
    const { height } = snapshot;
    const cursors = new Cursors(name, query.state ?? '', STAKE_POSITION);
    const after = cursors.read(query.cursor, height);
    const { byStake, epoch } = await validatorsOf(snapshot);
    const asked = byStake.filter((row) => isAsked(row, epoch, query.state));
    const left = after === undefined ? asked : asked.filter((row) => isBehind(row, after));
    const rows = left.slice(0, query.limit ?? page.default);
    const last = rows.at(-1);
    const next =
      last === undefined || rows.length === left.length
        ? null
        : { stake: last.validator.stake, id: last.id };
    const document = {
      api_version: 1,
      finalized_height: height,
      epoch: epoch.epoch,
      validators: rows.map((row) => validatorSummary(row, epoch)),
      ...cursors.next(next, height),
    } as const;
    return { height, document };
  });

function isAsked(
  { id, validator }: ValidatorRow,
  epoch: EpochRecord,
  asked: string | undefined,
): boolean {
  const state = livenessOf(validator, epoch.epoch);
  if (asked !== undefined) return state === asked;
  return state !== 'removed' || attendanceIn(epoch, id) !== null;
}

function isBehind(row: ValidatorRow, { stake, id }: StakePosition): boolean {
  return compareByStake({ id, validator: { ...row.validator, stake } }, row) < 0 && row.id !== id;
}

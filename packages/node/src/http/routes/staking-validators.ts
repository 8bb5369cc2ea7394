/** `GET /v1/staking/validators`. A page goes on behind the stake and id of the last one. */
import { ROUTES } from 'svc-api';
import { compareByStake, validatorSummary } from '../../documents/validator-documents.ts';
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

const CURSORS = new Cursors(name, '', STAKE_POSITION);

export const stakingValidators: Handler<typeof ROUTES.stakingValidators> = (
  { readers },
  { query },
) =>
  readers.read(async (snapshot) => {
    const { height } = snapshot;
    const after = CURSORS.read(query.cursor, height);
    const { byStake, epoch } = await validatorsOf(snapshot);
    const left = after === undefined ? byStake : byStake.filter((row) => isBehind(row, after));
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
      ...CURSORS.next(next, height),
    } as const;
    return { height, document };
  });

function isBehind(
  row: Parameters<typeof compareByStake>[0],
  { stake, id }: StakePosition,
): boolean {
  return compareByStake({ id, validator: { ...row.validator, stake } }, row) < 0 && row.id !== id;
}

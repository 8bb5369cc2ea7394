/**
 * Validators and staking positions. A page of validators continues after the stake and id of its last one.
 */
import { ROUTES, ROWS_MAX, type StakingPosition } from 'svc-api';
import {
  type EpochRecord,
  type LedgerParameters,
  livenessOf,
  principalHeld,
  principalOf,
  type UnbondingChunk,
  unbondingOf,
  type ValidatorRecord,
} from 'svc-ledger';
import type { PositionRow } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import type { Addresses } from '../../documents/addresses.ts';
import {
  attendanceIn,
  compareByStake,
  type ValidatorRow,
  validatorSummary,
} from '../../documents/validators.ts';
import { Refused } from '../../refusal.ts';
import { fittingRows } from '../answers.ts';
import type { Snapshot } from '../reading/shared-readers.ts';
import { Cursors, type PositionForm } from '../requests/cursors.ts';
import { finalizedAt, type Handler } from './handler.ts';

export const stakingPositions: Handler<'stakingPositions'> = (
  { services, readers, addresses },
  { body },
) => {
  const owners = new Set(addresses.hexes(body.addresses));
  const { parameters } = services.chain;
  return readers.read(async (snapshot) => {
    const { reader, height } = snapshot;
    const { byId } = await validatorsOf(snapshot);
    const positions: StakingPosition[] = [];
    for (const owner of owners) {
      for (const row of await reader.positionsOf(owner)) {
        const validator = byId.get(row.position.validatorId);
        positions.push(positionDocument({ row, validator, parameters, height }, addresses));
      }
      if (positions.length > ROWS_MAX || fittingRows(positions) < positions.length) {
        throw new Refused(
          'too_many_items',
          'the addresses own more positions than one answer lists',
          {
            path: 'addresses',
          },
        );
      }
    }
    return finalizedAt(height, { positions });
  });
};

interface PositionFacts {
  readonly row: PositionRow;
  readonly validator: ValidatorRecord | undefined;
  readonly parameters: LedgerParameters;
  readonly height: number;
}

function positionDocument(facts: PositionFacts, addresses: Addresses): StakingPosition {
  const { id, position } = facts.row;
  const { validator, parameters } = facts;
  const unbonding =
    validator === undefined
      ? [...position.unbonding]
      : unbondingOf(parameters, position, validator);
  return {
    position: id,
    kind: position.kind,
    owner_address: addresses.text(position.ownerAddress),
    reward_address: addresses.text(position.rewardAddress),
    validator: position.validatorId,
    principal: String(
      validator === undefined
        ? principalOf(position)
        : principalHeld(parameters, position, validator),
    ),
    unbonding: unbonding.map(({ amount, releaseHeight }) => ({
      amount: String(amount),
      withdrawable_height: releaseHeight,
    })),
    state: stateOf(facts, unbonding),
  };
}

/** The state of a position; one that the next cut lets withdraw counts as withdrawable. */
function stateOf(
  { row, validator, height }: PositionFacts,
  unbonding: readonly UnbondingChunk[],
): StakingPosition['state'] {
  if (row.position.bonded > 0n && validator?.status === 'active') return 'bonded';
  return unbonding.some(({ releaseHeight }) => releaseHeight <= height + 1)
    ? 'withdrawable'
    : 'unbonding';
}

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

export const stakingValidators: Handler<'stakingValidators'> = ({ readers }, { query }) =>
  readers.read(async (snapshot) => {
    const { height } = snapshot;
    const cursors = new Cursors(ROUTES.stakingValidators.name, query.state ?? '', STAKE_POSITION);
    const after = cursors.read(query.cursor, height);
    const { byStake, epoch } = await validatorsOf(snapshot);
    const asked = byStake.filter((row) => isAsked(row, epoch, query.state));
    const left = after === undefined ? asked : asked.filter((row) => isBehind(row, after));
    const rows = left.slice(0, query.limit ?? ROUTES.stakingValidators.page.default);
    const last = rows.at(-1);
    const next =
      last === undefined || rows.length === left.length
        ? null
        : { stake: last.validator.stake, id: last.id };
    return finalizedAt(height, {
      epoch: epoch.epoch,
      validators: rows.map((row) => validatorSummary(row, epoch)),
      ...cursors.next(next, height),
    });
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

const EPOCHS_DEFAULT = 14;

export const stakingValidator: Handler<'stakingValidator'> = (
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
    return finalizedAt(height, {
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
    });
  });

export interface Validators {
  readonly epoch: EpochRecord;
  readonly byId: ReadonlyMap<string, ValidatorRecord>;
  readonly byStake: readonly ValidatorRow[];
}

export function validatorsOf(snapshot: Snapshot): Promise<Validators> {
  return snapshot.once('validators', async () => {
    const rows = await snapshot.reader.validators();
    return {
      epoch: await snapshot.reader.epoch(),
      byId: new Map(rows.map(({ id, validator }) => [id, validator])),
      byStake: rows.toSorted(compareByStake),
    };
  });
}

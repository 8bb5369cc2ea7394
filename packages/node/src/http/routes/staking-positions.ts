/** `POST /v1/staking/positions`. */
import { type ROUTES, ROWS_MAX, type StakingPosition } from 'svc-api';
import {
  type LedgerParameters,
  principalHeld,
  principalOf,
  type UnbondingChunk,
  unbondingOf,
  type ValidatorRecord,
} from 'svc-ledger';
import type { PositionRow } from 'svc-storage';
import type { Addresses } from '../../documents/addresses.ts';
import { Refused } from '../../refusal/refused.ts';
import { fittingRows } from '../answers/rows.ts';
import { validatorsOf } from '../reading/validators.ts';
import type { Handler } from './handler.ts';

export const stakingPositions: Handler<typeof ROUTES.stakingPositions> = (
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
    return { height, document: { api_version: 1, finalized_height: height, positions } };
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

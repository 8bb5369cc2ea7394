/**
 * Vectors of what the ledger alone hashes, `docs/protocol.md` 9.4 to 9.6: leaf values, totals,
 * outcomes, ids that the protocol gives out, and a genesis with the state it starts.
 */
import { positionValue, validatorValue } from '../../src/commitment/leaf-values.ts';
import { OUTCOME_CODES, outcomeRoot } from '../../src/commitment/outcome-root.ts';
import { totalsRoot } from '../../src/commitment/totals.ts';
import type { OutcomeKind } from '../../src/cut.ts';
import { numberKey } from '../../src/identifiers.ts';
import { toHex } from '../../src/protocol.ts';
import { genesisBondId, PAYOUT_KINDS, payoutId } from '../../src/rules/outputs.ts';
import { positionIdOf, principalOf } from '../../src/rules/positions.ts';
import { validatorIdOf } from '../../src/rules/register-validator.ts';
import type { StateView } from '../../src/view.ts';
import { idOf, referenceHash } from '../testing/reference-hash.ts';
import { genesisVectors } from './genesis-vectors.ts';
import { plain } from './plain.ts';
import { economies, POOLS, POSITIONS, VALIDATORS } from './samples.ts';

const POOLS_BY_KEY = new Map(POOLS.map(([epoch, pool]) => [numberKey(epoch), pool]));

/** A view in which there is nothing but the pools of the samples. */
const POOLS_ALONE: StateView = {
  get: ((table: string, key: string) =>
    table === 'pools' ? POOLS_BY_KEY.get(key) : undefined) as StateView['get'],
  positionIdsOf: () => [],
  validatorIds: () => [],
  blockIdsOf: () => [],
};

function totals(): object[] {
  return economies().map(({ economy, epoch }) => ({
    economy: plain(economy),
    epoch: plain(epoch),
    pool: economy.openPool === null ? null : plain(POOLS_BY_KEY.get(numberKey(economy.openPool))),
    totals_root: toHex(totalsRoot(referenceHash, POOLS_ALONE, economy, epoch)),
  }));
}

function outcomes(): object[] {
  const kinds = Object.keys(OUTCOME_CODES) as OutcomeKind[];
  const every = kinds.map((kind, index) => ({
    transactionId: idOf(`transaction ${index}`),
    blockId: idOf('block'),
    kind,
    reason: '',
    fee: kind === 'finalized' ? 89_930n : 0n,
  }));
  return [[], every].map((list) => ({
    outcomes: list.map(({ transactionId, kind, fee }) => plain({ transactionId, kind, fee })),
    outcome_root: outcomeRoot(referenceHash, list),
  }));
}

function identifiers(): object {
  const transactionId = idOf('transaction');
  const chainId = idOf('chain');
  const payouts = Object.entries(PAYOUT_KINDS).flatMap(([kind, number]) =>
    [0, 7].map((index) => ({
      kind,
      height: number === PAYOUT_KINDS.genesis_bond ? '0' : '123456',
      index: String(index),
      id:
        number === PAYOUT_KINDS.genesis_bond
          ? genesisBondId(referenceHash, index)
          : payoutId({ chainId, hash: referenceHash }, 123_456, number, index),
    })),
  );
  return {
    chain_id: chainId,
    transaction_id: transactionId,
    position_id: positionIdOf(referenceHash, transactionId),
    validator_id: validatorIdOf(referenceHash, transactionId),
    payouts,
  };
}

export function ledgerVectors(): object {
  return {
    note: 'What the ledger hashes, sections 9.4 to 9.6 of docs/protocol.md: values of positions and validators, totals, outcomes, ids, and a genesis document with its bytes, its chain id and the state it starts. Public keys are bytes without a meaning.',
    positions: POSITIONS.map((position) => ({
      position: plain(position),
      sum: String(principalOf(position)),
      value_hex: toHex(positionValue(position)),
    })),
    validators: VALIDATORS.map((validator) => ({
      validator: plain(validator),
      value_hex: toHex(validatorValue(validator)),
    })),
    totals: totals(),
    outcomes: outcomes(),
    identifiers: identifiers(),
    genesis: genesisVectors(),
  };
}

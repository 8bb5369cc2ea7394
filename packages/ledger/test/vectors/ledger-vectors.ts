/**
 * Vectors of what the ledger alone hashes, `docs/protocol.md` 9.4 to 9.6: leaf values, totals,
 * outcomes, ids that the protocol gives out, and a genesis with the state it starts.
 */

import {
  changeRecords,
  changesRoot,
  outcomeRecords,
  outcomeRoot,
} from '../../src/commitment/cut-lists.ts';
import { positionValue, validatorValue } from '../../src/commitment/leaf-values.ts';
import { totalsRoot } from '../../src/commitment/totals.ts';
import { bytesOf, numberKey, outpointKey } from '../../src/identifiers.ts';
import {
  appendHistory,
  CHANGE_KINDS,
  type HistoryPeaks,
  historyRoot,
  OUTCOME_KINDS,
  OUTPUT_SOURCES,
  toHex,
} from '../../src/protocol.ts';
import { genesisBondId, PAYOUT_KINDS, payoutId } from '../../src/rules/outputs.ts';
import { positionIdOf, principalOf } from '../../src/rules/positions.ts';
import { validatorIdOf } from '../../src/rules/register-validator.ts';
import type { StateView } from '../../src/view.ts';
import { idOf, referenceHash, referenceListRoot } from '../testing/reference-hash.ts';
import { addressOf } from '../testing/test-chain.ts';
import { genesisVectors } from './genesis-vectors.ts';
import { plain } from './plain.ts';
import { economies, POOLS, POSITIONS, VALIDATORS } from './samples.ts';

const POOLS_BY_KEY = new Map(POOLS.map(([epoch, pool]) => [numberKey(epoch), pool]));

/** A view with the pools of the samples alone. */
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
  const every = OUTCOME_KINDS.map((kind, index) => {
    const isExecuted = kind === 'finalized';
    return {
      transactionId: idOf(`transaction ${index}`),
      blockId: idOf('block'),
      kind,
      reason: '',
      fee: isExecuted ? 89_930n : 0n,
      noteHash: isExecuted ? idOf('note') : '',
      payers: isExecuted ? ['alice', 'bob'].map(addressOf).sort() : [],
    };
  });
  return [[], every].map((list) => ({
    outcomes: list.map(({ blockId, reason, ...fields }) => plain(fields)),
    leaves: outcomeRecords(list).map(toHex),
    outcome_root: outcomeRoot(referenceListRoot, list),
  }));
}

function changes(): object[] {
  const every = OUTPUT_SOURCES.flatMap((source, index) =>
    CHANGE_KINDS.map((kind) => ({
      kind,
      address: addressOf(`owner ${index % 3}`),
      outpoint: outpointKey({ transactionId: idOf(`made ${index}`), outputIndex: index }),
      amount: BigInt(1 + index),
      source,
      transactionId: idOf(`transaction ${index}`),
    })),
  );
  return [[], every.slice(0, 1), every].map((list) => ({
    changes: list.map(plain),
    leaves: changeRecords(list).map(toHex),
    changes_root: changesRoot(referenceListRoot, list),
  }));
}

/** Roots of the first so many cut ids, each the hash of a short text, with the peaks that lead to them. */
function histories(): object[] {
  let peaks: HistoryPeaks = [];
  const rows: object[] = [];
  for (let count = 1; count <= 20; count++) {
    const cutId = idOf(`cut ${count - 1}`);
    peaks = appendHistory(referenceHash, count - 1, peaks, bytesOf(cutId));
    const root = toHex(historyRoot(referenceHash, count, peaks));
    rows.push({ cut_id: cutId, count: String(count), peaks: peaks.map(toHex), history_root: root });
  }
  return rows;
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
    changes: changes(),
    histories: histories(),
    identifiers: identifiers(),
    genesis: genesisVectors(),
  };
}

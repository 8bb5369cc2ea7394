import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LedgerAssertionError } from './assertion.ts';
import {
  ATOMS_PER_COIN,
  attendanceWindowOf,
  checkParameters,
  epochEnd,
  epochOf,
  epochStart,
  LEDGER_PARAMETERS,
  MAX_SUPPLY,
  stakePayoutCuts,
} from './parameters.ts';

test('[ECON-02] an interval is 34,560 cuts, a day at one cut in 2.5 seconds', () => {
  const { interval } = LEDGER_PARAMETERS.mainnet;
  assert.equal(interval, 34_560);
  assert.equal(interval * 2_500, 24 * 60 * 60 * 1_000);
  assert.equal(LEDGER_PARAMETERS.testnet.interval, 34_560);
  assert.equal(LEDGER_PARAMETERS.testnet100.interval, 360);
  assert.equal(LEDGER_PARAMETERS.development.interval, 120);
});

test('the parameters of every network hold together', () => {
  for (const parameters of Object.values(LEDGER_PARAMETERS)) checkParameters(parameters);
});

test('parameters that do not hold together are refused', () => {
  const good = LEDGER_PARAMETERS.development;
  const table = [
    { ...good, interval: 0 },
    { ...good, interval: 100 },
    { ...good, workBlocksTarget: 0 },
    { ...good, workBlocksTarget: 257 },
    { ...good, workTargetMin: 0n },
    { ...good, workTargetMax: good.workTargetMin - 1n },
    { ...good, minFeePerMass: -1n },
    { ...good, positionMin: 0n },
    { ...good, positionMin: 50n * ATOMS_PER_COIN },
    { ...good, stakePayoutsPerCut: 0 },
    { ...good, stakePayoutsPerCut: 256 },
    { ...good, stakeVisitsPerCut: 256 },
  ];
  for (const parameters of table) {
    assert.throws(() => checkParameters(parameters), LedgerAssertionError);
  }
});

test('an interval suffices on every network to pay all positions that all coins can make', () => {
  const cuts = Object.values(LEDGER_PARAMETERS).map((parameters) => [
    parameters.network,
    Number(stakePayoutCuts(parameters)),
    parameters.interval,
  ]);
  assert.deepEqual(cuts, [
    ['mainnet', 7_813 + 4_124, 34_560],
    ['testnet', 7_813 + 4_124, 34_560],
    ['testnet100', 218 + 115, 360],
    ['development', 73 + 39, 120],
  ]);
  for (const { positionMin, interval, stakePayoutsPerCut } of Object.values(LEDGER_PARAMETERS)) {
    assert.equal(positionMin, 100n * ATOMS_PER_COIN);
    const positions = MAX_SUPPLY / positionMin;
    assert.equal(positions, 2_000_000n);
    assert.ok(positions < BigInt(interval * stakePayoutsPerCut));
  }
});

test('epochs follow one another without gap, from height 1', () => {
  const interval = 24;
  assert.deepEqual(
    [0, 1, 24, 25, 48, 49].map((height) => epochOf(height, interval)),
    [0, 0, 0, 1, 1, 2],
  );
  for (let epoch = 0; epoch < 5; epoch++) {
    assert.equal(epochOf(epochStart(epoch, interval), interval), epoch);
    assert.equal(epochOf(epochEnd(epoch, interval), interval), epoch);
    assert.equal(epochEnd(epoch, interval) + 1, epochStart(epoch + 1, interval));
  }
});

test('an epoch has twelve attendance windows of equal length', () => {
  for (const interval of [12, 24, 120, 360, 34_560]) {
    const counts = new Array<number>(12).fill(0);
    for (let height = epochStart(3, interval); height <= epochEnd(3, interval); height++) {
      const window = attendanceWindowOf(height, interval);
      counts[window] = (counts[window] as number) + 1;
    }
    assert.deepEqual(counts, new Array<number>(12).fill(interval / 12));
  }
});

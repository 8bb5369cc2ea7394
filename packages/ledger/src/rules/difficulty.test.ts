import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEDGER_PARAMETERS } from '../parameters.ts';
import { difficultyFactors, nextWorkTarget } from './difficulty.ts';

const ONE = 1n << 64n;

test('each factor is 2^((K − n) / (288 K)) in 64 bits, rounded down, exactly', () => {
  const blocksTarget = 2;
  const factors = difficultyFactors(blocksTarget);
  assert.equal(factors.length, 257);
  const root = BigInt(288 * blocksTarget);
  for (const count of [0, 1, 2, 3, 100, 255, 256]) {
    const factor = factors[count] as bigint;
    const power = 1n << (64n * root + BigInt(blocksTarget - count));
    assert.ok(factor ** root <= power, `factor ${count} is too large`);
    assert.ok((factor + 1n) ** root > power, `factor ${count} is too small`);
  }
});

test('the factor is one at the number aimed at, and falls with every block', () => {
  for (const blocksTarget of [1, 2, 16, 64, 256]) {
    const factors = difficultyFactors(blocksTarget);
    assert.equal(factors[blocksTarget], ONE);
    for (let count = 1; count < factors.length; count++) {
      assert.ok((factors[count] as bigint) < (factors[count - 1] as bigint));
    }
  }
});

test('a target moves by no more than a factor of two over one registration window', () => {
  const parameters = LEDGER_PARAMETERS.mainnet;
  const start = parameters.workTargetMax >> 40n;
  let empty = start;
  let full = start;
  for (let cut = 0; cut < 96; cut++) {
    empty = nextWorkTarget(parameters, empty, 0);
    full = nextWorkTarget(parameters, full, 256);
  }
  assert.ok(empty > start && empty < 2n * start);
  assert.ok(full < start && full * 2n >= (start * 999n) / 1000n);
});

test('targets stay within the bounds of the network', () => {
  const parameters = LEDGER_PARAMETERS.development;
  const { workTargetMin, workTargetMax } = parameters;
  assert.equal(nextWorkTarget(parameters, workTargetMax, 0), workTargetMax);
  assert.equal(nextWorkTarget(parameters, workTargetMin, 256), workTargetMin);
  assert.equal(nextWorkTarget(parameters, workTargetMin + 5n, 2), workTargetMin + 5n);
});

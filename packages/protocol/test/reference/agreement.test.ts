import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/entry/node.ts';
import { Random } from '../generate/random.ts';
import { judgeBoth } from './agreement.ts';

const CASES = 1024;

test('[WASM-03] kernel and reference agree on generated transactions with declared fees and repeated inputs', async () => {
  await init();
  const tally = judgeBoth(new Random('agreement'), CASES);
  assert.equal(tally.accepted + tally.refused + tally.passedOver, CASES);
  assert.ok(tally.accepted > CASES / 3 && tally.refused > CASES / 5, JSON.stringify(tally));
  assert.ok(tally.declared > CASES / 4 && tally.repeated > CASES / 8, JSON.stringify(tally));
  assert.ok(tally.passedOver < CASES / 50, JSON.stringify(tally));
});

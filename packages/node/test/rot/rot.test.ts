import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { makeNodeDirectory } from './node-directory.ts';
import { rotRun } from './rot-run.ts';

await init();

const FLIPS = 40;

test(`none of ${FLIPS} flipped bits over the files of a node leads to a wrong answer, and the chain is repaired`, async (t) => {
  const directory = temporaryDirectory(t, MEMORY_PARENT);
  const sound = join(directory, 'sound');
  await makeNodeDirectory(sound);
  const chain = readdirSync(join(sound, 'chain'));
  assert.ok(chain.includes('trees') && chain.some((name) => /^trees\.\d+\.log$/.test(name)));
  let state = 11;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const report = await rotRun(sound, join(directory, 'work'), FLIPS, random);
  assert.deepEqual(report.wrong, []);
  assert.deepEqual(report.late, [], 'nothing wrong is shown before a scrub');
  const unrepaired = report.unrepaired.filter((words) => !words.includes('of genesis.json: '));
  assert.deepEqual(unrepaired, [], 'a store of the chain with one turned bit is repaired');
  assert.equal(report.repaired + report.unrepaired.length, report.chain);
  // Of a thousand flips 292 hurt the chain.
  assert.ok(report.repaired > FLIPS / 16, JSON.stringify(report));
  assert.equal(report.flips, FLIPS);
  assert.ok(report.told > FLIPS / 4, JSON.stringify(report));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { runCampaign } from './services/run-campaign.ts';

const DEPOSITS = 21;
const WITHDRAWALS = 16;

test('the documented services credit each deposit and pay each withdrawal once while node, daemon and services are killed and sockets are cut', async (t) => {
  const figures = await runCampaign({
    deposits: DEPOSITS,
    withdrawals: WITHDRAWALS,
    addresses: 12,
    kills: 7,
    seed: 1,
    cutTime: '500ms',
    directory: temporaryDirectory(t),
    onProgress: () => {},
  });
  const { kills, languages } = figures;
  assert.deepEqual([figures.credited, figures.paid], [DEPOSITS, WITHDRAWALS]);
  assert.ok(kills.node !== undefined && kills.daemon !== undefined);
  for (const language of languages) {
    assert.ok(kills[`deposits ${language}`] !== undefined, `deposits in ${language}`);
    assert.ok(kills[`withdrawals ${language}`] !== undefined, `withdrawals in ${language}`);
  }
  assert.ok(figures.connectionsCut > 0, 'sockets were open when they were cut');
  const skip = languages.includes('python') ? false : 'python3 is not installed';
  await t.test('in TypeScript', () => assert.ok(languages.includes('typescript')));
  await t.test('in Python', { skip }, () => assert.ok(languages.includes('python')));
});

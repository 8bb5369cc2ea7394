import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { runCampaign } from './deposits/run-campaign.ts';

test('deposits are credited once each by the documented programs while daemon and services are killed and sockets are cut', async (t) => {
  const figures = await runCampaign({
    deposits: 42,
    addresses: 12,
    kills: 3,
    directory: temporaryDirectory(t),
    onProgress: () => {},
  });
  const { languages } = figures;
  assert.equal(figures.credited, 42);
  assert.deepEqual([figures.daemonKills, figures.serviceKills], [3, languages.length]);
  assert.ok(figures.connectionsCut > 0, 'sockets were open when they were cut');
  const skip = languages.includes('python') ? false : 'python3 is not installed';
  await t.test('in TypeScript', () => assert.ok(languages.includes('typescript')));
  await t.test('in Python', { skip }, () => assert.ok(languages.includes('python')));
});

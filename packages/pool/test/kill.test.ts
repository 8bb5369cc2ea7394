import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { runCampaign } from './kill/run-campaign.ts';

test('a pool that is killed at random moments loses no acknowledged share, no reward and no payout', async (t) => {
  const directory = temporaryDirectory(t);
  const figures = await runCampaign({
    victims: ['pool'],
    rounds: 3,
    seed: 7,
    directory,
    onProgress: () => {},
  });
  assert.ok(figures.acknowledged > 0 && figures.rounds > 0 && figures.payouts > 0);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runKillCampaign } from './kill-campaign.ts';

test('a network that is killed under load loses nothing that it acknowledged, and its chain can be executed again', async () => {
  const { states, height } = await runKillCampaign(2);
  assert.ok(height > 2);
  assert.ok((states['finalized'] ?? 0) > 0, JSON.stringify(states));
});

/**
 * Delegates, unbonds, lets ten epochs pass and withdraws, through the daemon and on a real network. It takes half a
 * minute, nearly all of it for the cuts.
 *
 * Usage: node tools/bootstrap.mjs packages/wallet/test/unbonding.ts
 */
import assert from 'node:assert/strict';
import { following, requestId, World } from './daemon/world.ts';

/** Ten epochs of a development network. */
const UNBONDING_CUTS = 1_200;

const world = new World();
await world.open();
try {
  const { net, rich, until } = world;
  const validator = (await rich.call('validators', {})).validators[0]?.validator as string;
  const delegation = async () =>
    (await rich.call('positions', {})).positions.find(({ kind }) => kind === 'delegation');
  await rich.call('stake', { validator, amount: '500', request_id: requestId() });
  await until('staked', async () => (await delegation()) !== undefined);
  const position = (await delegation())?.position as string;
  await rich.call('unstake', { position, amount: '100', request_id: requestId() });
  await until('unbonding', async () => (await delegation())?.unbonding.length === 1);
  process.stdout.write(`making ${UNBONDING_CUTS} cuts\n`);
  await net.network.mine(UNBONDING_CUTS);
  await until('following', async () => (await rich.call('status', {})).scan.phase === 'following');
  await following(rich);
  const back = { position, fee_per_mass: '12', request_id: requestId() };
  assert.equal((await rich.call('withdraw', { ...back, dry_run: true })).dry_run, true);
  assert.equal((await rich.call('withdraw', back)).amount, '100.00000000');
  await until('withdrawn', async () => (await delegation())?.unbonding.length === 0);
  process.stdout.write('withdrawn\n');
} finally {
  await world.close();
}

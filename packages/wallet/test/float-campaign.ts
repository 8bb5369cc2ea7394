/**
 * Pays withdrawals out of a wallet that holds one coin, without a float and with one, and tells how many cuts each way
 * took from the first call until the node had the last transaction.
 *
 * Usage: node tools/bootstrap.mjs packages/wallet/test/float-campaign.ts [withdrawals]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { init } from 'svc-wasm';
import { RefusedCall, startDaemon, type TestDaemon } from './testing/daemon.ts';
import { startTestNetwork, type TestNetwork } from './testing/network.ts';
import { until } from './testing/open-wallet.ts';

const [withdrawals = 1_000] = process.argv.slice(2).map(Number);
const ATOMS = 100_000_000n;
const directory = mkdtempSync(join(tmpdir(), 'svc-float-'));
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function readAll(net: TestNetwork, daemon: TestDaemon): Promise<void> {
  const { head } = net.network.node.composed.core.chain;
  await until('every cut is read', async () => {
    const { indexed_height, node_height } = await daemon.call('status', {});
    return indexed_height >= head.height && (node_height ?? 0) >= head.height;
  });
}

async function makeCut(net: TestNetwork, daemon: TestDaemon): Promise<void> {
  await net.network.mine(1);
  await readAll(net, daemon);
}

/** Pays all withdrawals; returns the cuts that had to be made before the last could be sent. */
async function payAll(net: TestNetwork, daemon: TestDaemon, to: string): Promise<number> {
  let cuts = 0;
  for (let at = 0; at < withdrawals; ) {
    try {
      await daemon.call('send', { to, amount: '1', request_id: `withdrawal-${at}` });
      at++;
    } catch (error) {
      if (!(error instanceof RefusedCall) || error.data['retry'] !== 'later') throw error;
      await makeCut(net, daemon);
      cuts++;
    }
  }
  return cuts;
}

async function measure(net: TestNetwork, rich: TestDaemon, count: number): Promise<string> {
  const name = count === 0 ? 'without' : 'with';
  const hot = await startDaemon({
    directory: mkdtempSync(join(directory, `${name}-`)),
    service: net.url,
    float: count === 0 ? null : { count, amount: ATOMS },
  });
  try {
    await until('following', async () => (await hot.call('status', {})).scan.phase === 'following');
    const { address } = await hot.call('new_address', {});
    await readAll(net, rich);
    const amount = String(withdrawals * 2 + 10);
    await rich.call('send', { to: address, amount, request_id: `refill-${name}` });
    while ((await hot.call('balance', {})).outputs === 0) await makeCut(net, hot);
    let prepared = 0;
    for (; ((await hot.call('status', {})).float?.free ?? count) < count; prepared++) {
      await makeCut(net, hot);
    }
    const { address: to } = await rich.call('new_address', {});
    const started = Date.now();
    const cuts = await payAll(net, hot, to);
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    return `${name} a float: prepared in ${prepared} cuts, then ${withdrawals} withdrawals in ${cuts} cuts, ${seconds} s`;
  } finally {
    await hot.close();
  }
}

await init();
const net = await startTestNetwork();
try {
  await net.network.mine(2);
  const rich = await startDaemon({
    directory: mkdtempSync(join(directory, 'rich-')),
    service: net.url,
    words: net.words,
  });
  await until('following', async () => (await rich.call('status', {})).scan.phase === 'following');
  print(await measure(net, rich, withdrawals));
  print(await measure(net, rich, 0));
  await rich.close();
} finally {
  await net.close();
  rmSync(directory, { recursive: true, force: true });
}

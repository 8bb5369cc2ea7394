import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { createWalletClient } from 'svc-client';
import { init, mnemonicFromEntropy } from 'svc-wasm';
import { bundleDaemon, CrashProcess } from './crash/crash-process.ts';
import { startTestNetwork, type TestNetwork } from './support/network.ts';
import { openWallet, until } from './support/open-wallet.ts';
import { temporaryDirectory } from './support/temporary.ts';

const DEPOSITS = 1_001;
const ADDRESSES = 200;
const RESTARTS = 20;
const RECIPIENTS = 7;

/** Pays all deposits, some in each cut, and tells after each payment. */
async function payAll(
  net: TestNetwork,
  directory: string,
  addresses: readonly string[],
  onPaid: (made: number) => Promise<void>,
): Promise<Map<string, number>> {
  const rich = await openWallet({ directory, words: net.words, service: net.url });
  rich.start();
  await until('following', () => rich.scanner.progress.phase === 'following');
  const paid = new Map<string, number>();
  for (let made = 0; made < DEPOSITS; made += RECIPIENTS) {
    const recipients = Array.from({ length: RECIPIENTS }, (_, at) => {
      const to = addresses[(made + at) % addresses.length] as string;
      paid.set(to, (paid.get(to) ?? 0) + 1);
      return { to, amount: '1000000' };
    });
    await until('coins', () => rich.state.outputs.largest(1).length > 0, net);
    await rich.outgoing.perform({
      requestId: `deposit-${made}`,
      method: 'send_many',
      params: { recipients },
      isAutomatic: false,
    });
    await onPaid(made);
  }
  await until('all final', () => rich.state.journal.openCount() === 0, net);
  await rich.close();
  return paid;
}

test('a thousand deposits are credited once each while the daemon is killed twenty times and sockets are cut', async (t) => {
  await init();
  const net = await startTestNetwork();
  t.after(() => net.close());
  const directory = temporaryDirectory(t);
  const program = await bundleDaemon(directory);
  const words = mnemonicFromEntropy(new Uint8Array(randomBytes(32)));
  const start = (): Promise<CrashProcess> =>
    CrashProcess.start(program, {
      file: join(directory, 'shop'),
      words,
      service: net.url,
      crashAt: null,
    });
  let daemon = await start();
  t.after(() => daemon.kill());
  const status = async (): Promise<{ phase?: string }> =>
    (await daemon.call('status', {})).result?.['scan'] ?? {};
  await until('following', async () => (await status()).phase === 'following');
  const addresses: string[] = [];
  while (addresses.length < ADDRESSES) {
    const { result } = await daemon.call('new_address', { label: `customer ${addresses.length}` });
    addresses.push(result?.['address'] as string);
  }

  const ledger = new Map<string, { address: string; amount: string }>();
  let credited = 0;
  let height = 0;
  const ending = new AbortController();
  /** What a service does: its own database is the map and the height, and it restarts with the daemon. */
  const follow = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const running = daemon;
      const life = new AbortController();
      void running.ended.then(() => life.abort());
      const client = createWalletClient({ url: running.url, token: running.token });
      await client
        .followDeposits({
          since: height,
          onPayment: ({ address, amount, output, transaction }) => {
            const key = `${transaction}:${output}`;
            if (ledger.has(key)) return;
            ledger.set(key, { address, amount });
            credited++;
          },
          onHeight: (reached) => {
            height = reached;
          },
          signal: AbortSignal.any([ending.signal, life.signal]),
        })
        .catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const following = follow();

  let kills = 0;
  const paid = await payAll(net, join(directory, 'rich'), addresses, async (made) => {
    if (made / DEPOSITS > kills / RESTARTS) {
      kills++;
      await daemon.kill();
      daemon = await start();
    }
    if (made % 49 === 0) {
      await fetch(`${net.url}/v1/dev/close_sockets`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"api_version":1}',
      });
    }
  });
  assert.equal(kills, RESTARTS);
  await until('all credited', () => credited >= DEPOSITS, net);
  ending.abort();
  await following;
  assert.equal(credited, DEPOSITS);
  const byAddress = new Map<string, number>();
  for (const { address, amount } of ledger.values()) {
    assert.equal(amount, '0.01000000');
    byAddress.set(address, (byAddress.get(address) ?? 0) + 1);
  }
  assert.deepEqual(byAddress, paid);
});

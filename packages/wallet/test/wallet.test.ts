import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { formatAmount, init, mnemonicFromEntropy } from 'svc-wasm';
import type { StoredEvent } from '../src/state/events.ts';
import { startTestNetwork, type TestNetwork } from './support/network.ts';
import { openWallet, until } from './support/open-wallet.ts';
import { temporaryDirectory } from './support/temporary.ts';

let net: TestNetwork;
before(async () => {
  await init();
  net = await startTestNetwork();
});
after(() => net.close());

test('a payment from one wallet to another is seen, final and settled', async (t) => {
  const rich = await openWallet({
    directory: temporaryDirectory(t),
    words: net.words,
    service: net.url,
  });
  const poor = await openWallet({
    directory: temporaryDirectory(t),
    words: mnemonicFromEntropy(crypto.getRandomValues(new Uint8Array(32))),
    service: net.url,
  });
  t.after(() => Promise.all([rich.close(), poor.close()]));
  const events: StoredEvent[] = [];
  poor.events.on((event) => events.push(event));
  rich.events.on((event) => events.push(event));
  rich.start();
  poor.start();
  await until('following', () =>
    [rich, poor].every((w) => w.scanner.progress.phase === 'following'),
  );
  t.diagnostic(formatAmount(String(rich.state.outputs.totals().balance)));
  const to = poor.keychain.issue(0, 'alice').address;
  const started = Date.now();
  const reply = await rich.outgoing.perform({
    requestId: 'first',
    method: 'send',
    params: { recipients: [{ to, amount: '125000000', payload_text: 'hello' }] },
    isAutomatic: false,
  });
  t.diagnostic(JSON.stringify(reply));
  await until('settled', () => events.filter(({ event }) => event === 'settled').length === 1, net);
  await until('finalized', () => events.some(({ event }) => event === 'finalized'), net);
  t.diagnostic(`${Date.now() - started} ms`);
  for (const event of events) t.diagnostic(`${event.event} ${event.data}`);
  assert.equal(poor.state.outputs.totals().balance, 125000000n);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { type FrontPage, frontPage, messagePage, minerPage } from './pages.ts';

const EVIL = `"><script>alert('x')</script>&`;

await init();

const PAGE: FrontPage = {
  name: EVIL,
  network: EVIL,
  poolAddress: EVIL,
  feeBasisPoints: 50n,
  windowBlocks: 1_000n,
  threshold: 1n,
  paysOut: true,
  nodeState: 'ready',
  hashrate: 1_500,
  connections: { pplns: 1, solo: 0 },
  urls: { pplns: [EVIL], solo: [EVIL] },
  history: [],
  totals: {
    rounds: 1,
    root: EVIL,
    blocks: { found: 1, paid: 1, expired: 0 },
    payouts: {},
    balances: 1n,
    heldAccounts: 0,
    fees: 0n,
    carried: 0n,
    cursorHeight: 1,
  },
  blocks: [
    {
      blockId: EVIL,
      mode: EVIL,
      address: EVIL,
      worker: EVIL,
      anchorHeight: 1,
      state: EVIL,
      round: 1,
    },
  ],
  rounds: [{ round: 1, blockId: EVIL, paidHeight: 1, root: EVIL }],
  payouts: [
    {
      payout: 1,
      state: EVIL,
      atoms: 1n,
      recipients: 1,
      fee: 0n,
      transaction: EVIL,
      round: 1,
      root: EVIL,
    },
  ],
};

function expectHarmless(text: string): void {
  assert.ok(!text.includes('<script'), 'no element that was not written here');
  assert.ok(!text.includes("alert('x')"), 'no quote ends an attribute');
  assert.ok(!/&(?!amp;|lt;|gt;|quot;|#39;)/.test(text), 'every ampersand is escaped');
}

test('every name on the pages is escaped, whoever chose it', () => {
  expectHarmless(frontPage(PAGE));
  expectHarmless(messagePage(EVIL, EVIL));
  const worker = { worker: EVIL, shares: 1n, work: 1n, lastShareMillis: 0 };
  const miner = {
    address: EVIL,
    balance: 1n,
    earned: 1n,
    held: EVIL,
    workers: [worker],
    payouts: [],
  };
  expectHarmless(minerPage(EVIL, miner, new Map(), []));
});

test('the page says how to connect, what it costs, and that a pool without a wallet does not pay', () => {
  const urls = { pplns: ['svc+tcp://127.0.0.1:28781'], solo: [] };
  const text = frontPage({ ...PAGE, name: 'our pool', urls });
  assert.match(text, /svc-miner --url svc\+tcp:\/\/127\.0\.0\.1:28781 --user/);
  assert.match(text, /Fee: 0\.5 %/);
  assert.match(text, /1\.50 kH\/s/);
  assert.doesNotMatch(text, /alone \(solo\)/);
  assert.match(frontPage({ ...PAGE, paysOut: false }), /does not pay/);
});

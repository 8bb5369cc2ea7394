/** Nodes that lie about what is unspent, so that the wallet would pay a second time. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { NETWORK, TIME } from '../../test/testing/certified-cuts.ts';
import {
  HEIGHT,
  HELD,
  type ProvingNode,
  proofOf,
  provingClient,
  STRANGER,
  VALID_UNTIL,
  walletOf,
} from '../../test/testing/proving-node.ts';
import { TrustedChain } from '../node/trusted-chain.ts';
import { settleExpired } from './expiry.ts';

await init();

async function outcomeOf(
  t: TestContext,
  node: ProvingNode,
  now = TIME + 1_000,
): Promise<string | null> {
  const { state, transaction } = walletOf(t);
  const client = provingClient(node);
  const clock = new ManualClock(now);
  const ports = { client, network: NETWORK, clock, log: SILENT_LOG } as const;
  const trust = new TrustedChain({ ...ports, meta: state.meta });
  await settleExpired({ ...ports, state, trust }, transaction, HEIGHT);
  return state.journal.transaction(transaction.id).outcome;
}

test('a transaction is settled as expired where trusted validators signed the state that frees it', async (t) => {
  assert.equal(await outcomeOf(t, {}), 'expired');
});

test('an invented state settles nothing', async (t) => {
  const other = new Uint8Array(48).fill(9);
  const lies: Record<string, ProvingNode> = {
    'signed by validators that the node invents': { signers: STRANGER },
    'beside a certified cut with another state': { signedRoot: other },
    'without certificates': { lacks: 'certificates' },
    'without proofs': { lacks: 'proofs' },
    'at a cut before the end of the validity': { height: VALID_UNTIL - 1 },
    'with a proof of another output': { proves: proofOf({ ...HELD, outputIndex: 1 }) },
    'without an answer for the input': { leavesOut: 1 },
    'with bytes that are no proof': { proves: '00' },
  };
  for (const [what, node] of Object.entries(lies)) {
    assert.equal(await outcomeOf(t, node), null, what);
  }
});

test('a coin that the node calls spent is there again once it is proven unspent', async (t) => {
  const { state, transaction } = walletOf(t);
  state.outputs.spend('00'.repeat(48), 0, VALID_UNTIL, 'ef'.repeat(48));
  const ports = { client: provingClient({}), network: NETWORK, log: SILENT_LOG } as const;
  const clock = new ManualClock(TIME + 1_000);
  const trust = new TrustedChain({ ...ports, clock, meta: state.meta });
  await settleExpired({ ...ports, state, trust }, transaction, HEIGHT);
  const totals = { balance: 5n, outputCount: 1, reserved: 0n, reservedCount: 0 };
  assert.deepEqual(state.outputs.totals(), totals);
  assert.equal(state.outputs.largest(1).length, 1, 'the coin can be spent');
});

test('a transaction is settled from its outpoint where the wallet does not list the coin', async (t) => {
  const { state, transaction } = walletOf(t);
  state.outputs.undoAbove(0);
  assert.equal(state.outputs.totals().reserved, 0n);
  const ports = { client: provingClient({}), network: NETWORK, log: SILENT_LOG } as const;
  const clock = new ManualClock(TIME + 1_000);
  const trust = new TrustedChain({ ...ports, clock, meta: state.meta });
  await settleExpired({ ...ports, state, trust }, transaction, HEIGHT);
  assert.equal(state.journal.transaction(transaction.id).outcome, 'expired');
});

test('a transaction that spends change of a dead one is dead, and of an open one it is not', async (t) => {
  const { state, transaction: maker } = walletOf(t);
  const { createdAtMillis, request, transactionId } = maker;
  const made = { request, kind: 'payment', amount: 1n, fee: 1n, recipients: '[]', createdAtMillis };
  const bytes = {
    transactionId: 'cd'.repeat(48),
    wire: new Uint8Array(3),
    validUntil: VALID_UNTIL,
  };
  const id = state.journal.addTransaction({ ...made, ...bytes });
  state.inputs.add({ transactionId, outputIndex: 1 }, id);
  const ports = { client: provingClient({}), network: NETWORK, log: SILENT_LOG } as const;
  const clock = new ManualClock(TIME + 1_000);
  const trust = new TrustedChain({ ...ports, clock, meta: state.meta });
  const settleNext = async (): Promise<string | null> => {
    await settleExpired({ ...ports, state, trust }, state.journal.transaction(id), HEIGHT);
    return state.journal.transaction(id).outcome;
  };
  assert.equal(await settleNext(), null);
  await settleExpired({ ...ports, state, trust }, maker, HEIGHT);
  assert.equal(await settleNext(), 'expired');
  const proof = JSON.parse(state.journal.transaction(id).proof ?? '{}') as Record<string, unknown>;
  assert.deepEqual(proof['never_made'], { transaction_id: transactionId, output_index: 1 });
});

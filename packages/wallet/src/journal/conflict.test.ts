/** Nodes that say that a coin was spent otherwise, so that the wallet would call a payment dead that is not. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Clock, SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import { type Client, ClientError } from 'svc-client';
import {
  assembleTransaction,
  burnAddress,
  encodeTransactionBody,
  encodeWitnessWithProfile,
  init,
  transactionId,
} from 'svc-wasm';
import { fromHex, toHex } from 'svc-wasm/base';
import { NETWORK, TIME } from '../../test/testing/certified-cuts.ts';
import { developmentManifest } from '../../test/testing/development-manifest.ts';
import {
  HEIGHT,
  HELD,
  type ProvingNode,
  provingClient,
  STRANGER,
  VALID_UNTIL,
  walletOf,
} from '../../test/testing/proving-node.ts';
import { WalletError } from '../errors.ts';
import { TrustedChain } from '../node/trusted-chain.ts';
import type { State } from '../state/open-state.ts';
import { settleConflict } from './expiry.ts';
import { Resender } from './resender.ts';
import type { Sender } from './sender.ts';

await init();

const MANIFEST = developmentManifest();
const COIN_ID = toHex(HELD.transactionId);

/** A transaction that spends an output; nobody has signed it, which the wallet leaves to the validators to find. */
function spending(outputIndex: number): { id: string; wireHex: string } {
  const request = {
    valid_from_height: '1',
    valid_until_height: '100',
    fee: '1',
    inputs: [{ transaction_id: COIN_ID, output_index: String(outputIndex) }],
    outputs: [{ address: burnAddress('development'), amount: '4' }],
    payload_hex: '',
  };
  const body = encodeTransactionBody(JSON.stringify(request), MANIFEST);
  const witness = encodeWitnessWithProfile('inline', new Uint8Array(1952), new Uint8Array(3309));
  const wire = assembleTransaction(body, [witness], MANIFEST);
  return { id: transactionId(body, MANIFEST), wireHex: toHex(wire) };
}

const OTHER = spending(0);
const UNRELATED = spending(1);
const paidBy = ({ id }: { id: string }) => ({ ...HELD, transactionId: fromHex(id), amount: 4n });

function portsOf(state: State, client: Client, clock: Clock) {
  const ports = { client, network: NETWORK, log: SILENT_LOG } as const;
  const trust = new TrustedChain({ ...ports, clock, meta: state.meta });
  const disbelieve = (message: string) => new WalletError('node_not_believed', message);
  return { ...ports, state, trust, disbelieve, manifest: async () => MANIFEST };
}

/** What becomes of a transaction whose coin is spent by another one, as this node says. */
async function outcomeOf(t: TestContext, node: ProvingNode, spender = OTHER.id) {
  const { state, transaction } = walletOf(t);
  state.outputs.spend(COIN_ID, 0, VALID_UNTIL - 5, spender);
  const ports = portsOf(state, provingClient(node), new ManualClock(TIME + 1_000));
  await settleConflict(ports, transaction, HEIGHT);
  const { outcome, proof } = state.journal.transaction(transaction.id);
  assert.equal(state.outputs.largest(1).length, 0, 'no coin is free');
  return { outcome, isProven: proof !== null };
}

const TRUTH: ProvingNode = { outputs: [paidBy(OTHER)], wireHex: OTHER.wireHex };

test('a conflict is settled where the other transaction is shown and one of its outputs proven', async (t) => {
  assert.deepEqual(await outcomeOf(t, TRUTH), { outcome: 'conflict', isProven: true });
});

test('an invented conflict settles nothing and frees no coin', async (t) => {
  const lies: Record<string, ProvingNode> = {
    'without the other transaction': { ...TRUTH, lacks: 'transactions' },
    'with a transaction that was not executed': { ...TRUTH, outputs: [HELD] },
    'with a transaction that spends another coin': {
      outputs: [paidBy(UNRELATED)],
      wireHex: UNRELATED.wireHex,
    },
    'with bytes that are no transaction': { ...TRUTH, wireHex: '00' },
    'signed by validators that the node invents': { ...TRUTH, signers: STRANGER },
    'beside a certified cut with another state': {
      ...TRUTH,
      signedRoot: new Uint8Array(48).fill(9),
    },
    'without certificates': { ...TRUTH, lacks: 'certificates' },
    'without proofs': { ...TRUTH, lacks: 'proofs' },
    'without an answer for the output': { ...TRUTH, leavesOut: 1 },
    'with bytes that are no proof': { ...TRUTH, proves: '00' },
  };
  for (const [what, node] of Object.entries(lies)) {
    const spender = node.wireHex === UNRELATED.wireHex ? UNRELATED.id : OTHER.id;
    assert.deepEqual(await outcomeOf(t, node, spender), { outcome: null, isProven: false }, what);
  }
});

test('a conflict that the node fails on keeps nothing from expiring', async (t) => {
  const { state, transaction } = walletOf(t);
  const { createdAtMillis, request } = transaction;
  const open = { request, kind: 'payment', amount: 1n, fee: 1n, recipients: '[]', createdAtMillis };
  const lost = { transactionId: 'cd'.repeat(48), wire: new Uint8Array(3), validUntil: HEIGHT + 5 };
  const id = state.journal.addTransaction({ ...open, ...lost });
  const senders = 'not_kept' as const;
  const details = { payloadText: null, payloadHex: null, senders, isMessenger: false };
  const coin = { transactionId: COIN_ID, outputIndex: 1, addressId: 1, amount: 5n, ...details };
  state.outputs.receive({ ...coin, source: 'regular', height: 1 }, 1);
  state.outputs.reserve([state.outputs.find(COIN_ID, 1)?.id as number], id);
  state.outputs.spend(COIN_ID, 1, VALID_UNTIL, OTHER.id);
  state.journal.markKnown(id);
  const busy = (): never => {
    throw new ClientError('refused', 'busy', { status: 503, code: 'overloaded' });
  };
  const statuses = async () => ({
    statuses: [{ transaction_id: lost.transactionId, failure: null }],
  });
  const client = {
    ...provingClient({}),
    transaction: async () => busy(),
    transactionsStatus: statuses,
  } as unknown as Client;
  const clock = new ManualClock(TIME + 1_000);
  const told: string[] = [];
  const resender = new Resender({
    ...portsOf(state, client, clock),
    clock,
    sender: { send: async () => 'known' } as unknown as Sender,
    onEvents: (events) => told.push(...events.map(({ event }) => event)),
  });
  await resender.resendDue(HEIGHT);
  assert.equal(state.journal.transaction(transaction.id).outcome, 'expired');
  assert.equal(state.journal.transaction(id).outcome, null);
  assert.deepEqual(told, ['settled']);
});

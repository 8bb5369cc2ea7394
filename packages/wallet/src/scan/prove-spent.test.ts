/** What is asked of a node before payments count as made, and what is taken for a proof. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { temporaryDirectory } from 'svc-base/testing';
import { type Client, ClientError } from 'svc-client';
import { outcomeRoot } from 'svc-client/evidence';
import { certifyCut, init } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import {
  CHAIN_ID,
  committee,
  NETWORK,
  signedCut,
  TIME,
} from '../../test/testing/certified-cuts.ts';
import { WalletError } from '../base/wallet-error.ts';
import { openState, type State } from '../state/open-state.ts';
import type { Change } from './change.ts';
import { provenSpends } from './prove-spent.ts';

await init();

const HEIGHT = 7;
const PAGE = 64;
const ADDRESS = 'address-0';
const COMMITTEE = committee(1);
const DETAILS = { payloadText: null, payloadHex: null, senders: [], isMessenger: false };
const idOf = (at: number): string => at.toString(16).padStart(96, '0');

/** A wallet with so many open payments; each spends a coin, of the payment before it if they are a chain. */
function payersOf(t: TestContext, count: number, isChain = false) {
  const identity = { fingerprint: '00112233aabbccdd', network: NETWORK };
  const state = openState(join(temporaryDirectory(t), 'wallet'), identity, 'test');
  t.after(() => state.close());
  const addressId = state.addresses.add(0, 0, ADDRESS, true);
  const asked = { requestId: 'r', method: 'send', params: '{}', isAutomatic: false };
  const request = state.journal.addRequest({ ...asked, createdAtMillis: 1 }, 'built');
  const made = { request, kind: 'payment', amount: 4n, fee: 1n, recipients: '[]' };
  const spent: Change[] = [];
  state.database.transaction(() => {
    for (let at = 1; at <= count; at++) {
      const transactionId = isChain ? idOf(at - 1) : `c${idOf(at).slice(1)}`;
      const coin = { transactionId, outputIndex: 0, addressId, amount: 5n, ...DETAILS };
      state.outputs.receive({ ...coin, source: 'regular', height: 1 }, 1);
      const payment = { transactionId: idOf(at), validUntil: 60, createdAtMillis: 1 };
      const id = state.journal.addTransaction({ ...made, ...payment, wire: null });
      state.outputs.reserve([at], id);
      spent.push({
        ...{ address: ADDRESS, kind: 'spent', amount: '5', source: 'regular' },
        outpoint: { transaction_id: transactionId, output_index: 0 },
        ...{ transaction_id: idOf(at), finalized_height: HEIGHT },
      });
    }
  });
  return { state, spent };
}

/** A node whose cut has executed these transactions, and that counts what it is asked. */
function nodeOf(executed: readonly string[], lacks: 'outcomes' | null = null) {
  const asked = { proofs: 0, pages: 0, certificates: 0 };
  const block_id = idOf(0);
  const outcomes = executed.map((transaction_id) => ({
    transaction_id,
    block_id,
    outcome: 'finalized' as const,
    fee: '1',
    payers: [],
  }));
  const root = fromHex(outcomeRoot(outcomes));
  const signed = signedCut({ height: HEIGHT, time: TIME, signers: COMMITTEE, outcomeRoot: root });
  const parts = [signed.header_hex, signed.certificate_hex].map((hex) => fromHex(hex));
  const client = {
    proofsUtxos: async ({ outpoints }: { outpoints: readonly object[] }) => {
      asked.proofs++;
      const proofs = outpoints.map((outpoint) => ({ outpoint, included: false, proof_hex: null }));
      return { cut: { height: HEIGHT }, proofs };
    },
    cutTransactions: async ({ cursor = '0' }: { cursor?: string }) => {
      asked.pages++;
      if (lacks === 'outcomes')
        throw new ClientError('refused', 'not kept', { status: 404, code: 'not_kept' });
      const from = Number(cursor);
      const next = from + PAGE < outcomes.length ? { next_cursor: String(from + PAGE) } : {};
      return { transactions: outcomes.slice(from, from + PAGE), ...next };
    },
    addressProof: async () => {
      throw new ClientError('refused', 'too many', { status: 400, code: 'too_many_items' });
    },
  };
  const certify = async () => {
    asked.certificates++;
    return certifyCut(parts[0] as Uint8Array, parts[1] as Uint8Array, COMMITTEE.encoded, CHAIN_ID);
  };
  return { asked, client: client as unknown as Client, trust: { certify } };
}

function prove(
  { client, trust }: Pick<ReturnType<typeof nodeOf>, 'client' | 'trust'>,
  state: State,
  changes: readonly Change[],
  shown: readonly string[] = [],
  areCoinsProven = true,
): Promise<ReadonlySet<string>> {
  const disbelieve = (message: string): WalletError =>
    new WalletError('node_not_believed', message);
  const ports = { client, network: NETWORK, state, trust, log: SILENT_LOG, disbelieve } as const;
  const wanted = { areCoinsProven, isEveryChange: areCoinsProven };
  return provenSpends(ports, changes, { manifest: '', shown: new Set(shown), ...wanted });
}

test('the outcomes of a cut are read once for a thousand payments', async (t) => {
  const { state, spent } = payersOf(t, 1_000);
  const ids = spent.map(({ transaction_id }) => transaction_id);
  const node = nodeOf(ids);
  const executed = await prove(node, state, spent);
  assert.deepEqual([...executed].toSorted(), ids.toSorted());
  assert.deepEqual(node.asked, { proofs: 0, pages: Math.ceil(1_000 / PAGE), certificates: 1 });
});

test('nothing is asked for payments one of whose outputs is proven, nor for those that made their coins', async (t) => {
  const { state, spent } = payersOf(t, 3, true);
  const node = nodeOf([]);
  const executed = await prove(node, state, spent, [idOf(3)]);
  assert.deepEqual([...executed].toSorted(), [1, 2, 3].map(idOf));
  assert.deepEqual(node.asked, { proofs: 0, pages: 0, certificates: 0 });
});

test('a payment that the outcomes lack is a lie, and outcomes of another root are one too', async (t) => {
  const { state, spent } = payersOf(t, 2);
  const [first = ''] = spent.map(({ transaction_id }) => transaction_id);
  const lie = { kind: 'node_not_believed' };
  await assert.rejects(prove(nodeOf([first]), state, spent), { ...lie, message: /lack it$/ });
  const { client } = nodeOf([idOf(1), idOf(2)]);
  const { trust } = nodeOf([first]);
  const other = { ...lie, message: /not those that validators signed$/ };
  await assert.rejects(prove({ client, trust }, state, spent), other);
});

test('a payment of which nothing is kept stays open, and its coin goes only with a proof of its own', async (t) => {
  const { state, spent } = payersOf(t, 1);
  const node = nodeOf([], 'outcomes');
  assert.equal((await prove(node, state, spent, [], false)).size, 0);
  const unproven = { kind: 'node_not_believed', message: /its absence is not proven/ };
  await assert.rejects(prove(node, state, spent), unproven);
});

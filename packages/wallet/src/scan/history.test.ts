/** Histories that contradict each other, and nodes that invent one. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, temporaryDirectory } from 'svc-base/testing';
import { type Client, ClientError } from 'svc-client';
import { init } from 'svc-wasm';
import { fromHex, toHex } from 'svc-wasm/base';
import {
  CHAIN_ID,
  type Committee,
  committee,
  NETWORK,
  type SignedCut,
  signedCut,
  TIME,
} from '../../test/testing/certified-cuts.ts';
import { type Checkpoint, TrustedChain } from '../node/trusted-chain.ts';
import { openState, type State } from '../state/open-state.ts';
import { History, keptCut } from './history.ts';

await init();

const TRUSTED = committee(1);
const STRANGER = committee(2);
const INTERVAL = 360;

/** A chain of one committee; `story` makes its cuts differ from those of another chain. */
function grow(length: number, signers: Committee, story: number, below: SignedCut[] = []) {
  const cuts = [...below];
  for (let height = cuts.length + 1; height <= length; height++) {
    const time = TIME + height;
    const parentCutId = fromHex(cuts.at(-1)?.cut_id ?? '00'.repeat(48));
    const stateRoot = new Uint8Array(48).fill(story);
    cuts.push(signedCut({ height, time, signers, stateRoot, parentCutId }));
  }
  return cuts;
}

class Node {
  cuts: SignedCut[];
  signers = TRUSTED;

  constructor(cuts: SignedCut[]) {
    this.cuts = cuts;
  }

  get client(): Client {
    const at = (height: number): SignedCut => {
      const cut = this.cuts[height - 1];
      if (cut !== undefined) return cut;
      throw new ClientError('refused', 'not yet', { status: 404, code: 'not_yet' });
    };
    const client = {
      cut: async ({ height }: { height: number }) => ({ cut: { cut_id: at(height).cut_id } }),
      cutCertificate: async ({ height }: { height: number }) => at(height),
      cutValidators: async () => ({ validator_set_hex: toHex(this.signers.encoded) }),
    };
    return client as unknown as Client;
  }
}

function followerOf(
  t: TestContext,
  node: Node,
  checkpoint: Checkpoint | null = { height: 1, cutId: node.cuts[0]?.cut_id as string },
): { history: History; state: State; follow: (upTo: number) => Promise<void> } {
  const identity = { fingerprint: '00112233aabbccdd', network: NETWORK };
  const state = openState(join(temporaryDirectory(t), 'wallet'), identity, 'test');
  t.after(() => state.close());
  state.meta.set('chain_id', toHex(CHAIN_ID));
  const { client } = node;
  const clock = new ManualClock(TIME + 1_000);
  const ports = { client, clock, log: SILENT_LOG } as const;
  const trust = new TrustedChain({
    ...ports,
    network: NETWORK,
    meta: state.meta,
    checkpoint: checkpoint ?? undefined,
  });
  const history = new History({ ...ports, state, trust, onEvents: () => {} });
  const follow = async (upTo: number): Promise<void> => {
    for (const cut of await history.certify(upTo, upTo)) state.cuts.keep(keptCut(cut));
  };
  return { history, state, follow };
}

test('a certified cut in place of one that was followed is a contradiction, and names where both agree', async (t) => {
  const own = grow(30, TRUSTED, 1);
  const node = new Node(own);
  const { follow, history, state } = followerOf(t, node);
  for (const height of [3, 10, 11, 12, 20, 21, 22]) await follow(height);
  await history.compare(30);

  node.cuts = grow(21, TRUSTED, 2, own.slice(0, 15));
  await assert.rejects(history.compare(21), { kind: 'other_history' });
  const { contradiction } = history;
  assert.deepEqual(
    [contradiction?.height, contradiction?.agreed_height, contradiction?.own_cut_id],
    [21, 12, own[20]?.cut_id],
  );
  assert.equal(contradiction?.node_cut_id, node.cuts[20]?.cut_id);
  assert.equal(state.events.after(0, 9).at(-1)?.event, 'resync_required');
  assert.throws(() => history.expectAgreement(), { kind: 'other_history' });
  await assert.rejects(history.compare(21), { kind: 'other_history' });

  node.cuts = own;
  await history.compare(30);
  assert.equal(history.contradiction, null, 'a node of the own history ends it');
  history.expectAgreement();
});

test('a cut that does not follow the one before is a contradiction', async (t) => {
  const own = grow(10, TRUSTED, 1);
  const node = new Node(own.slice());
  const { follow, history } = followerOf(t, node);
  await follow(9);
  node.cuts = [...own.slice(0, 9), grow(10, TRUSTED, 2)[9] as SignedCut];
  await assert.rejects(follow(10), { kind: 'other_history' });
  assert.equal(history.contradiction?.height, 9);
});

test('histories that the trusted validators did not sign are not believed, and leave no mark', async (t) => {
  const own = grow(20, TRUSTED, 1);
  const node = new Node(own);
  const { follow, history } = followerOf(t, node);
  await follow(10);
  node.cuts = grow(20, STRANGER, 2);
  node.signers = STRANGER;
  await assert.rejects(history.compare(20), { kind: 'node_not_believed' });
  assert.throws(() => history.expectAgreement(), { kind: 'node_not_believed' });
  assert.equal(history.contradiction, null);
  node.cuts = [...own.slice(0, 10), ...grow(20, STRANGER, 2).slice(10)];
  await assert.rejects(follow(11), { kind: 'node_not_believed' });
  node.cuts = own;
  await history.compare(20);
  assert.throws(() => history.expectAgreement(), { kind: 'node_not_believed' });
  history.believe();
  history.expectAgreement();
  await follow(11);
});

test('with a checkpoint the first node is not believed either', async (t) => {
  const own = grow(20, TRUSTED, 1);
  const node = new Node(grow(20, STRANGER, 2));
  node.signers = STRANGER;
  const checkpoint = { height: 5, cutId: own[4]?.cut_id as string };
  const wary = followerOf(t, node, checkpoint);
  await assert.rejects(wary.follow(10), { kind: 'node_not_believed' });
  node.cuts = own;
  node.signers = TRUSTED;
  await wary.follow(10);
  assert.equal(wary.state.cuts.newest()?.cutId, own[9]?.cut_id);
});

test('the last cut of an epoch is followed although nobody names the next set yet', async (t) => {
  const own = grow(INTERVAL, TRUSTED, 1);
  const node = new Node(own);
  const { follow, state } = followerOf(t, node);
  await follow(INTERVAL);
  assert.equal(state.cuts.newest()?.height, INTERVAL);
});

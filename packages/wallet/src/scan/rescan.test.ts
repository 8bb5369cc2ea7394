/**
 * Parts of the past that are read once more, with a node and proofs that a test answers for.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, temporaryDirectory } from 'svc-base/testing';
import type { Client } from 'svc-client';
import { init } from 'svc-wasm';
import { WalletError } from '../errors.ts';
import { openState, type State } from '../state/open-state.ts';
import { beginRescan, beginRestore, isRescanning } from '../state/readings.ts';
import { type Change, NO_DETAILS } from './change.ts';
import type { HeldOutput } from './past.ts';
import { type ProvenPart, Rescan } from './rescan.ts';

await init();

const HEAD = 9;

function paymentTo(address: string, number: number): Change {
  const transaction_id = number.toString(16).padStart(96, '0');
  return {
    ...{ address, kind: 'received', amount: '5', source: 'regular', transaction_id },
    ...{ outpoint: { transaction_id, output_index: 0 }, finalized_height: 3 },
  };
}

/** A wallet with two addresses at height 9, and a node that tells of a payment to each, a page each. */
function sceneOf(t: TestContext, prove: (changes: readonly Change[]) => Promise<ProvenPart>) {
  const identity = { fingerprint: '00'.repeat(8), network: 'development' };
  const state = openState(join(temporaryDirectory(t), 'wallet'), identity, 'test');
  t.after(() => state.close());
  for (const position of [0, 1]) state.addresses.add(0, position, `address-${position}`, true);
  state.meta.set('indexed_height', String(HEAD));
  const asked = { pages: 0, forgiven: 0 };
  /** The holdings of addresses beside those that the node lists. */
  const hidden: Record<string, HeldOutput[]> = {};
  const addressChanges = async ({ cursor = '0' }: { cursor?: string }) => {
    asked.pages++;
    const at = Number(cursor);
    const next = at === 0 ? { next_cursor: '1' } : {};
    return { indexed_height: HEAD, changes: [paymentTo(`address-${at}`, at + 1)], ...next };
  };
  const addressUtxosBatch = async () => ({ indexed_height: HEAD, addresses: [] });
  const rescan = new Rescan({
    ...{ state, prove, clock: new ManualClock(0), log: SILENT_LOG, onEvents: () => {} },
    node: { client: { addressChanges, addressUtxosBatch } as unknown as Client },
    holdingsOf: async (address) => {
      const number = Number(address.slice(-1)) + 1;
      const held = {
        transactionId: number.toString(16).padStart(96, '0'),
        outputIndex: 0,
        amount: 5n,
      };
      const outputs = [held, ...(hidden[address] ?? [])];
      return { height: HEAD, cutId: '', outputs };
    },
    disbelieve: (message) => new WalletError('node_not_believed', message),
    lookAhead: async () => {},
    reached: () => {},
    believe: () => void asked.forgiven++,
  });
  state.database.transaction(() => beginRescan(state));
  return { asked, hidden, rescan, state };
}

function detailed(state: State, changes: readonly Change[]): ProvenPart {
  const of = ({ address }: Change): number => state.addresses.find(address)?.id ?? 0;
  return {
    changes: changes.map((change) => ({ ...change, addressId: of(change), details: NO_DETAILS })),
    executed: new Set(),
  };
}

test('parts are added one by one, and it ends when all addresses were read', async (t) => {
  const scene = sceneOf(t, async (changes) => detailed(scene.state, changes));
  const { rescan, state } = scene;
  const known: number[] = [];
  assert.deepEqual(rescan.progress, { done: 0, total: 2, lastError: null });
  while (await rescan.readPart()) known.push(state.outputs.totals().outputCount);
  assert.deepEqual(known.slice(0, 2), [1, 2]);
  assert.equal(rescan.progress, null);
  assert.equal(await rescan.readPart(), false);
  const events = state.events.after(0, 9).map(({ event }) => event);
  assert.deepEqual(events, ['resync_required']);
});

test('a batch of which a part fails is read from its beginning, and adds nothing twice', async (t) => {
  let fails = 0;
  const scene = sceneOf(t, async (changes) => {
    if (changes[0]?.address === 'address-1' && fails++ < 2) throw new Error('no answer');
    return detailed(scene.state, changes);
  });
  const { asked, rescan, state } = scene;
  assert.equal(await rescan.readPart(), true);
  for (let tries = 0; tries < 2; tries++) {
    await assert.rejects(
      async () => {
        while (await rescan.readPart());
      },
      { message: 'no answer' },
    );
    rescan.failed(new Error('no answer'));
    assert.equal(rescan.progress?.lastError, 'no answer');
    assert.equal(state.outputs.totals().outputCount, 1);
  }
  while (await rescan.readPart());
  assert.deepEqual([state.outputs.totals().outputCount, asked.pages], [2, 6]);
});

test('what was found is dropped when everything is read before anything counts', async (t) => {
  const [begun, proving] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const scene = sceneOf(t, async (changes) => {
    begun.resolve();
    await proving.promise;
    return detailed(scene.state, changes);
  });
  const { asked, rescan, state } = scene;
  const part = rescan.readPart();
  await begun.promise;
  state.database.transaction(() => beginRestore(state));
  rescan.startOver();
  proving.resolve();
  await part;
  assert.equal(state.outputs.totals().outputCount, 0);
  assert.equal(isRescanning(state.meta), false);
  assert.equal(asked.forgiven, 1, 'by what was begun, not by the part');
});

test('what was found is dropped when it is begun once more, and found again', async (t) => {
  const [begun, proving] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const scene = sceneOf(t, async (changes) => {
    begun.resolve();
    await proving.promise;
    return detailed(scene.state, changes);
  });
  const { rescan, state } = scene;
  const part = rescan.readPart();
  await begun.promise;
  state.database.transaction(() => beginRescan(state));
  rescan.startOver();
  proving.resolve();
  assert.equal(await part, true);
  assert.equal(state.outputs.totals().outputCount, 0);
  while (await rescan.readPart());
  assert.equal(state.outputs.totals().outputCount, 2);
});

test('it does not end while an address holds what the node does not tell of', async (t) => {
  const scene = sceneOf(t, async (changes) => detailed(scene.state, changes));
  const { hidden, rescan, state } = scene;
  hidden['address-1'] = [{ transactionId: 'ee'.repeat(48), outputIndex: 0, amount: 7n }];
  const read = async (): Promise<void> => {
    while (await rescan.readPart());
  };
  await assert.rejects(read, {
    kind: 'node_not_believed',
    message: /conceals a payment of 0.00000007/,
  });
  assert.equal(isRescanning(state.meta), true);
  delete hidden['address-1'];
  await read();
  assert.equal(isRescanning(state.meta), false);
});

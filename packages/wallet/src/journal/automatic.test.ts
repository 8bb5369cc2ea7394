import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import type { Branch } from '../state/addresses.ts';
import { openState } from '../state/open-state.ts';
import { Automatic, type AutomaticPorts } from './automatic.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };

await init();

/** How many addresses are merged of a wallet with a crowded address for payments and five that are fuller, for change. */
async function merged(t: TestContext, isChangeMerged: boolean): Promise<Record<Branch, number>> {
  const state = openState(join(temporaryDirectory(t), 'wallet'), IDENTITY, 'test');
  t.after(() => state.close());
  const branches = new Map<string, Branch>();
  fill(0, 0, 3);
  for (let position = 0; position < 5; position++) fill(1, position, 4);
  const asked: Record<Branch, number> = { 0: 0, 1: 0 };
  const outgoing: AutomaticPorts['outgoing'] = {
    perform: async ({ params }) => {
      const branch = branches.get((params as { address: string }).address);
      if (branch !== undefined) asked[branch]++;
      return { submitted: true, duplicate: false };
    },
  };
  const without = { sweepTo: null, float: null, log: SILENT_LOG };
  await new Automatic({
    ...{ state, outgoing, compoundAbove: 2, isChangeMerged, ...without },
  }).performDue(1);
  return asked;

  function fill(branch: Branch, position: number, outputs: number): void {
    const address = `${branch}/${position}`;
    branches.set(address, branch);
    const addressId = state.addresses.add(branch, position, address, true);
    for (let outputIndex = 0; outputIndex < outputs; outputIndex++) {
      const transactionId = `${branch}${position}`.padStart(96, '0');
      state.outputs.receive(
        {
          ...{ transactionId, outputIndex, addressId, amount: 1n, source: 'regular' },
          ...{ height: 1, payloadText: null, payloadHex: null, senders: [], isMessenger: false },
        },
        1,
      );
    }
  }
}

test('merges the fullest addresses, whatever they are for', async (t) => {
  assert.deepEqual(await merged(t, true), { 0: 0, 1: 4 });
});

test('leaves change alone where its coins lie side by side to pay at once, and finds what is crowded beside it', async (t) => {
  assert.deepEqual(await merged(t, false), { 0: 1, 1: 0 });
});

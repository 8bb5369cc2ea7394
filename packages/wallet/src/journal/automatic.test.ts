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

/** The addresses that are merged of a wallet with three outputs at an address of each branch. */
async function merged(t: TestContext, isChangeMerged: boolean): Promise<string[]> {
  const state = openState(join(temporaryDirectory(t), 'wallet'), IDENTITY, 'test');
  t.after(() => state.close());
  for (const branch of [0, 1] as const) fill(branch);
  const asked: string[] = [];
  const outgoing: AutomaticPorts['outgoing'] = {
    perform: async ({ params }) => {
      asked.push((params as { address: string }).address);
      return { submitted: true, duplicate: false };
    },
  };
  const without = { sweepTo: null, float: null, log: SILENT_LOG };
  await new Automatic({
    ...{ state, outgoing, compoundAbove: 2, isChangeMerged, ...without },
  }).performDue(1);
  return asked;

  function fill(branch: Branch): void {
    const addressId = state.addresses.add(branch, 0, `of branch ${branch}`, true);
    for (let outputIndex = 0; outputIndex < 3; outputIndex++) {
      const transactionId = String(branch).padStart(96, '0');
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

test('merges crowded addresses of both branches', async (t) => {
  assert.deepEqual((await merged(t, true)).toSorted(), ['of branch 0', 'of branch 1']);
});

test('leaves change alone where its coins lie side by side to pay at once', async (t) => {
  assert.deepEqual(await merged(t, false), ['of branch 0']);
});

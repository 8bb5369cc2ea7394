/** What becomes of a request that is asked for again while it is being held. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { walletOf } from '../../test/testing/proving-node.ts';
import type { PaymentBuilder } from '../spend/payment-builder.ts';
import { CompoundFirst, type OutgoingPorts } from './compound-first.ts';

await init();

test('a hold that is released before its drive has ended leaves the request driven', async (t) => {
  const { state } = walletOf(t);
  const asked = {
    ...{ requestId: 'big', method: 'send', params: '{}', isAutomatic: false, createdAtMillis: 1 },
    ...{ caller: 'old', budget: null },
  };
  const id = state.journal.addRequest(asked, 'accepted');
  let leave = (): void => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const withBuilder = async (_: boolean, work: (builder: PaymentBuilder) => Promise<unknown>) => {
    const done = await work({ changeAddresses: 0 } as PaymentBuilder);
    await left;
    return done;
  };
  const ports = {
    ...{ state, clock: new ManualClock(), log: SILENT_LOG, turns: { withBuilder } },
    isRevoked: (caller: string) => caller === 'old',
    makerOf: () => async () => ({ transactions: [], result: {} }),
  } as unknown as OutgoingPorts;
  const compoundFirst = new CompoundFirst(ports);
  const first = compoundFirst.waitFor(id, { name: 'old', limits: null, isValid: () => false });
  await until(() => state.stopped.isHeld(id), 'the request is held');
  state.stopped.release(id);
  const again = compoundFirst.waitFor(id, { name: 'new', limits: null, isValid: () => true });
  leave();
  assert.deepEqual(await Promise.all([first, again]), [true, true]);
  assert.equal(state.journal.request(id).state, 'built');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SILENT_LOG, Signal } from 'svc-base/pure';
import type { SyncStop } from 'svc-network';
import { RulesWatch } from './self-report.ts';

function watched() {
  const [stopped, told] = [new Signal<SyncStop>(), [] as string[]];
  let pauses = 0;
  const driver = { pause: () => void pauses++ };
  const updates = { required: false, announced: true };
  const log = { ...SILENT_LOG, error: (_: object, message: string) => void told.push(message) };
  const watch = new RulesWatch({ peers: { updates, stopped }, seats: [{ driver }], log });
  return { watch, stopped, told, pauses: () => pauses };
}

test('a validator signs nothing more once peers have shown a cut of unknown rules', () => {
  const { watch, stopped, pauses } = watched();
  stopped.emit({ reason: 'failed', height: 7 });
  assert.deepEqual([watch.updates, pauses()], [{ required: false, announced: true }, 0]);
  stopped.emit({ reason: 'update_required', height: 7 });
  assert.deepEqual([watch.updates, pauses()], [{ required: true, announced: true }, 1]);
});

test('nor once the other validators have decided one, which the log says once', () => {
  const { watch, told, pauses } = watched();
  watch.decidedElsewhere(7);
  watch.decidedElsewhere(8);
  assert.deepEqual([watch.updates.required, pauses()], [true, 1]);
  assert.equal(told.length, 1);
  assert.match(told[0] ?? '', /^update_required: the network follows rules/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { Mismatches } from './settle.ts';

test('each mismatch is counted and logged, and a name makes one event', () => {
  const events: object[] = [];
  const logged: object[] = [];
  const mismatches = new Mismatches({
    events: { record: (event, data) => events.push({ event, ...data }) },
    log: { ...SILENT_LOG, error: (fields) => logged.push(fields) },
  });
  const caller = { name: 'main', limits: null };
  const calls = [
    ['send', 'a'],
    ['send', 'a'],
    ['new_address', 'a'],
    ['sweep', 'b'],
  ] as const;
  for (const [method, requestId] of calls) mismatches.tell({ method, requestId, caller });
  assert.deepEqual([mismatches.count, logged.length], [4, 4]);
  const event = 'request_id_mismatch';
  assert.deepEqual(events, [
    { event, request_id: 'a', method: 'send', caller: 'main' },
    { event, request_id: 'a', method: 'new_address', caller: 'main' },
    { event, request_id: 'b', method: 'sweep', caller: 'main' },
  ]);
});

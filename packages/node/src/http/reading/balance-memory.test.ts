import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Signal } from 'svc-base/pure';
import type { Change } from 'svc-ledger';
import type { Chain, FinalizedCut } from '../../ports/chain.ts';
import { BalanceMemory } from './balance-memory.ts';

const ONE = { amount: 7n, outputs: 1 };
const ONE_TEXT = '{"api_version":1,"address":"a","balance":"7","utxos":1,"indexed_height":';

function memoryOn(finalized: Signal<FinalizedCut>, limit?: number): BalanceMemory {
  return new BalanceMemory({ head: { height: 4 }, finalized } as Chain, limit);
}

function cutTouching(height: number, address: string): FinalizedCut {
  const record = { address, amount: 1n, source: 'regular', height } as const;
  const changes: Change[] = [{ table: 'outputs', key: '', before: record, after: undefined }];
  return { height, result: { changes } } as unknown as FinalizedCut;
}

test('an answer holds until a cut touches its address, and its height moves with every cut', () => {
  const finalized = new Signal<FinalizedCut>();
  const memory = memoryOn(finalized);
  memory.remember('a', '00', ONE, 4);
  assert.deepEqual(memory.answer('a'), { height: 4, text: `${ONE_TEXT}4}` });
  finalized.emit(cutTouching(5, '11'));
  assert.deepEqual(memory.answer('a'), { height: 5, text: `${ONE_TEXT}5}` });
  finalized.emit(cutTouching(6, '00'));
  assert.equal(memory.answer('a'), undefined);
});

test('what was read at another height than the last is answered and not kept', () => {
  const finalized = new Signal<FinalizedCut>();
  const memory = memoryOn(finalized);
  finalized.emit(cutTouching(5, '11'));
  assert.deepEqual(memory.remember('a', '00', ONE, 4), { height: 4, text: `${ONE_TEXT}4}` });
  assert.equal(memory.answer('a'), undefined);
});

test('it keeps as many as it may, and begins anew when they are too many', () => {
  const memory = memoryOn(new Signal(), 2);
  for (const name of ['a', 'b', 'c']) memory.remember(name, name, ONE, 4);
  assert.deepEqual(
    ['a', 'b', 'c'].map((name) => memory.answer(name) !== undefined),
    [false, false, true],
  );
});

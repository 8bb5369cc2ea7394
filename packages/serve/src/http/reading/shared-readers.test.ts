import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Signal } from 'svc-base/pure';
import { type ChainReader, StoreMovedError } from 'svc-storage';
import type { Chain, FinalizedCut } from '../../ports.ts';
import { Refused } from '../../refusal.ts';
import { SharedReaders } from './shared-readers.ts';

/** A chain that gives each reader the next height. */
class MovingChain {
  readonly finalized = new Signal<FinalizedCut>();
  opened = 0;
  closed = 0;

  reader(): ChainReader {
    const head = { height: ++this.opened };
    return { head, close: async () => void this.closed++ } as unknown as ChainReader;
  }
}

test('requests of a height share a view, and one that meets the next cut is answered anew from there', async () => {
  const chain = new MovingChain();
  const readers = new SharedReaders(chain as unknown as Chain);
  const heightOf = () => readers.read(async ({ height }) => height);
  assert.deepEqual(await Promise.all([heightOf(), heightOf()]), [1, 1]);
  const moved = await readers.read(async ({ height }) => {
    if (height < 3) throw new StoreMovedError('moved');
    return height;
  });
  assert.equal(moved, 3);
  assert.equal(await heightOf(), 3);
  readers.close();
  assert.deepEqual([chain.opened, chain.closed], [3, 3]);
});

test('what is read in one turn is there at once, or comes from the next cut', async () => {
  const chain = new MovingChain();
  const readers = new SharedReaders(chain as unknown as Chain);
  assert.equal(
    readers.readNow(({ height }) => height),
    1,
  );
  const moved = readers.readNow(({ height }) => {
    if (height < 3) throw new StoreMovedError('moved');
    return height;
  });
  assert.equal(await moved, 3);
  assert.throws(
    () =>
      readers.readNow(() => {
        throw new Error('rotten');
      }),
    /rotten/,
  );
  assert.equal(await readers.read(async ({ height }) => height), 3);
  readers.close();
  assert.deepEqual([chain.opened, chain.closed], [3, 3]);
});

test('a chain that is faster than the answer is told as overloaded', async () => {
  const readers = new SharedReaders(new MovingChain() as unknown as Chain);
  const reading = readers.read(async () => {
    throw new StoreMovedError('moved');
  });
  await assert.rejects(reading, (error) => error instanceof Refused && error.code === 'overloaded');
  readers.close();
});

test('what is computed of a height is computed once, and anew at the next height or after a failure', async () => {
  const chain = new MovingChain();
  const readers = new SharedReaders(chain as unknown as Chain);
  let computed = 0;
  const count = () => readers.readNow((snapshot) => snapshot.once('count', () => ++computed));
  assert.deepEqual([count(), count()], [1, 1]);
  chain.finalized.emit({} as FinalizedCut);
  assert.equal(count(), 2);
  const fail = () =>
    readers.read((snapshot) => snapshot.once('fault', () => Promise.reject(++computed)));
  await assert.rejects(fail(), (fault) => fault === 3);
  await assert.rejects(fail(), (fault) => fault === 4);
  readers.close();
});

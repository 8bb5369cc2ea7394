import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainReader } from '../chain-reader.ts';
import { StoreMovedError } from '../errors.ts';
import { readAtHead } from './read-at-head.ts';

/** Counts the readers that were opened and closed. */
class Source {
  opened = 0;
  closed = 0;

  reader(): ChainReader {
    this.opened++;
    return { close: async () => void this.closed++ } as unknown as ChainReader;
  }
}

test('a read is made anew with a new reader until the head stands still, and no more than 32 times', async () => {
  const source = new Source();
  const read = await readAtHead(source, async () => {
    if (source.opened < 3) throw new StoreMovedError('moved');
    return source.opened;
  });
  assert.equal(read, 3);
  assert.equal(source.closed, 3);
  const moving = new Source();
  const never = readAtHead(moving, async () => {
    throw new StoreMovedError('moved');
  });
  await assert.rejects(never, StoreMovedError);
  assert.equal(moving.opened, 32);
});

test('other errors are not for a second attempt', async () => {
  const source = new Source();
  const failing = readAtHead(source, async () => {
    throw new RangeError('too many');
  });
  await assert.rejects(failing, RangeError);
  assert.equal(source.opened, 1);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BucketTable } from './bucket-table.ts';
import { KEY_BYTES } from './key-bits.ts';

/** The last batch but two that fits into stamps. */
const FIRST_BATCH = 2 ** 32 - 3;
const BATCHES = 8;

test('a batch is undone, also when batches are counted anew', () => {
  const table = new BucketTable(FIRST_BATCH);
  const bucket = table.allocate();
  table.setLeaves(bucket, 1);
  table.commit();
  for (let batch = 2; batch <= BATCHES; batch++) {
    for (const leaves of [batch, batch + 1]) {
      table.setLeaves(bucket, leaves);
      table.hang(bucket, leaves, new Uint8Array(KEY_BYTES).fill(leaves), 0, 16);
    }
    if (batch % 2 === 0) {
      table.undo();
      table.forget();
      assert.equal(table.leaves(bucket), batch - 1, `batch ${batch}`);
    } else {
      table.setLeaves(bucket, batch);
      table.commit();
    }
  }
});

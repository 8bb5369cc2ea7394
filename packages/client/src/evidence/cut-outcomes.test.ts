import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../client.ts';
import { readOutcomePages } from './cut-outcomes.ts';

const PAGE = 64;

/** A node whose cut has so many outcomes. */
function nodeWith(count: number): Pick<Client, 'cutTransactions'> {
  const cutTransactions = async ({ cursor = '0' }: { cursor?: string }) => {
    const at = Number(cursor);
    const outcome = (_: unknown, place: number) => ({
      transaction_id: (at + place).toString(16).padStart(96, '0'),
    });
    const transactions = Array.from({ length: Math.min(PAGE, count - at) }, outcome);
    const end = at + transactions.length;
    return { transactions, ...(end < count ? { next_cursor: String(end) } : {}) };
  };
  return { cutTransactions } as unknown as Pick<Client, 'cutTransactions'>;
}

test('all outcomes of a full cut are read, in their order', async () => {
  const pages = await readOutcomePages(nodeWith(4_352), 7);
  const ids = pages?.flat().map(({ transaction_id }) => Number.parseInt(transaction_id, 16));
  assert.deepEqual(
    ids,
    Array.from({ length: 4_352 }, (_, place) => place),
  );
});

test('pages that do not end are abandoned', async () => {
  assert.equal(await readOutcomePages(nodeWith(Number.POSITIVE_INFINITY), 7), undefined);
});

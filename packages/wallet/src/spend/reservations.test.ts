import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Coin } from '../state/outputs.ts';
import { Reservations } from './payment-builder.ts';

const COINS = [1n, 2n, 2n, 3n, 5n, 8n, 8n, 9n].map((amount, id): Coin => {
  return { id, transactionId: '', outputIndex: 0, addressId: 0, amount };
});

/** The coins as a state reads them, and how often that happened. */
function reading(coins: readonly Coin[]) {
  const reads: number[] = [];
  const read = (amount: bigint, limit: number): readonly Coin[] => {
    reads.push(limit);
    return coins.filter((coin) => coin.amount >= amount).slice(0, limit);
  };
  return { read, reads };
}

test('each payment of a turn gets the smallest coin that is not held, whatever the order of amounts', () => {
  const amounts = [2n, 2n, 8n, 1n, 3n, 2n, 9n, 2n, 9n];
  const reservations = new Reservations(amounts.length);
  const { read } = reading(COINS);
  const free = new Set(COINS);
  for (const amount of amounts) {
    const coin = reservations.smallestAtLeast(amount, read);
    const smallest = [...free].find((each) => each.amount >= amount);
    assert.equal(coin, smallest);
    if (coin === undefined) continue;
    reservations.take([coin]);
    free.delete(coin);
  }
  assert.equal(free.size, 0);
});

test('coins are read once for payments of one amount, and one for a payment alone', () => {
  const together = reading(COINS);
  const reservations = new Reservations(5);
  for (let payment = 0; payment < 5; payment++) {
    reservations.take([reservations.smallestAtLeast(2n, together.read) as Coin]);
  }
  assert.deepEqual(together.reads, [5]);
  const alone = reading(COINS);
  new Reservations().smallestAtLeast(2n, alone.read);
  assert.deepEqual(alone.reads, [1]);
});

test('coins that went meanwhile are passed over once they are read again', () => {
  const reservations = new Reservations(2);
  const [first] = COINS;
  assert.equal(reservations.smallestAtLeast(1n, reading(COINS).read), first);
  const { read } = reading(COINS.slice(1));
  assert.equal(reservations.smallestAtLeast(1n, read), first);
  reservations.forgetRead();
  assert.equal(reservations.smallestAtLeast(1n, read), COINS[1]);
});

/** What drivers of several makers report of their cards, and how the miner uses it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardFault, eachOnce } from './card-fit.ts';

const GIBIBYTE = 2 ** 30;
const DATASET_BYTES = 2 * GIBIBYTE - 128;

test('a card mines if its groups and its largest buffer are large enough', () => {
  const cards = [
    { groupItemsMax: 1_024, bufferBytesMax: 35 * GIBIBYTE },
    { groupItemsMax: 256, bufferBytesMax: 0.85 * 16 * GIBIBYTE },
    { groupItemsMax: 128, bufferBytesMax: DATASET_BYTES },
    { groupItemsMax: 64, bufferBytesMax: 8 * GIBIBYTE },
    { groupItemsMax: 512, bufferBytesMax: 1.5 * GIBIBYTE },
  ];
  assert.deepEqual(
    cards.map((card) => cardFault(card, DATASET_BYTES)),
    [
      undefined,
      undefined,
      undefined,
      'its work groups have at most 64 items, and 128 are needed',
      'its largest buffer has 1.50 GiB, and the dataset has 2.00 GiB',
    ],
  );
});

test('a card that two drivers list is used once, and equal cards of one driver are both used', () => {
  const cards = [
    { name: 'first', uuid: '01' },
    { name: 'second of its kind', uuid: '02' },
    { name: 'first, by another driver', uuid: '01' },
    { name: 'of an old driver', uuid: undefined },
    { name: 'of an old driver', uuid: undefined },
  ];
  assert.deepEqual(eachOnce(cards), [cards[0], cards[1], cards[3], cards[4]]);
});

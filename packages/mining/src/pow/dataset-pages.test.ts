import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { askForDatasetPages } from './dataset-pages.ts';

const HAS_HUGE_PAGES = existsSync('/sys/kernel/mm/transparent_hugepage/enabled');

test('the memory of a dataset asks for huge pages, that of a development network does not', () => {
  assert.equal(askForDatasetPages(new ArrayBuffer(64 << 20)), HAS_HUGE_PAGES);
  assert.equal(askForDatasetPages(new ArrayBuffer(16 << 20)), false);
});

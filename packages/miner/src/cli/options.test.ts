import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explorerPage, type MinerFlags } from './options.ts';

const pageAt = (explorer?: string): string | null =>
  explorerPage({ explorer } as MinerFlags, 'svcdev1qqqqqqqq.rig-1');

test('statistics link to the page of who is paid, without the worker', () => {
  assert.equal(pageAt(), null);
  for (const place of ['https://node.example/ui', 'https://node.example/ui/?from=mail#top'])
    assert.equal(pageAt(place), 'https://node.example/ui/address/svcdev1qqqqqqqq');
});

test('an explorer that no browser would open as a page is refused', () => {
  for (const place of ['node.example/ui', 'javascript:alert(1)', 'file:///ui', ''])
    assert.throws(() => pageAt(place), /--explorer/);
});

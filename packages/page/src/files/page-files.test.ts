import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPageFiles } from './page-files.ts';

const FIRST_LOAD_BYTES_MAX = 60_000;

test('what a browser loads before anything is proven has at most 60 KB, compressed', () => {
  const { shell, assets } = readPageFiles() ?? assert.fail('the page was not built');
  const document = Buffer.from(shell.plain).toString('utf8');
  const named = [...assets].filter(([name]) => document.includes(`/ui/assets/${name}`));
  assert.equal(named.length, 1, 'one script; the style is in the shell');
  const files = [shell, ...named.map(([, file]) => file)];
  const sum = files.reduce((all, { gzip, plain }) => all + (gzip ?? plain).length, 0);
  assert.ok(sum <= FIRST_LOAD_BYTES_MAX, `${sum} bytes`);
});

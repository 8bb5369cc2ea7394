import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formOf, type PageFiles } from './built-files.ts';
import { readPageFiles } from './page-files.ts';
import { readPoolFiles } from './pool-files.ts';

/** What a browser loads first, compressed. */
function firstLoadOf(files: PageFiles | undefined, prefix: string): number {
  const { shell, assets } = files ?? assert.fail('the page was not built');
  const document = Buffer.from(shell.plain).toString('utf8');
  const named = [...assets].filter(([name]) => document.includes(`"${prefix}${name}"`));
  assert.equal(named.length, 1, 'one script; the style is in the shell');
  const first = [shell, ...named.map(([, file]) => file)];
  return first.reduce((sum, { gzip, plain }) => sum + (gzip ?? plain).length, 0);
}

test('what a browser loads before anything is proven has at most 60 KB, compressed; of a pool, 30', () => {
  const page = firstLoadOf(readPageFiles(), '/ui/assets/');
  assert.ok(page <= 60_000, `${page} bytes`);
  const pool = firstLoadOf(readPoolFiles(), '/assets/');
  assert.ok(pool <= 30_000, `${pool} bytes`);
});

test('a client gets the shortest form that it accepts', () => {
  const bytes = (text: string) => Buffer.from(text);
  const file = { media: 'x', plain: bytes('plain'), gzip: bytes('gz'), brotli: bytes('b') };
  const codingOf = (accepted: string) => formOf(file, accepted)[1];
  assert.deepEqual(['gzip, br', 'gzip', 'br;q=0, gzip', 'deflate', ''].map(codingOf), [
    'br',
    'gzip',
    'gzip',
    undefined,
    undefined,
  ]);
  assert.deepEqual(formOf({ ...file, brotli: undefined }, 'br'), [file.plain, undefined]);
});

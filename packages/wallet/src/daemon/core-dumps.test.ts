import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { coreLimitOf } from './core-dumps.ts';

const MODULE = new URL('./core-dumps.ts', import.meta.url).href;

/** What a process tells that was allowed to write all of its memory: the limit that it has, and the one that its parent finds. */
function forbiddenIn(path: string): string[] {
  const code = `
    const { readFileSync } = await import('node:fs');
    const { coreLimitOf, forbidCoreDumps } = await import('${MODULE}');
    const told = () => coreLimitOf(readFileSync('/proc/self/limits', 'utf8'));
    console.log([told(), forbidCoreDumps(), told()].join(' '));`;
  const command = 'ulimit -S -c "$(ulimit -H -c)"; PATH="$1"; shift; exec "$@"';
  const words = [path, process.execPath, '--input-type=module', '--eval', code];
  const { stdout, stderr } = spawnSync('sh', ['-c', command, 'sh', ...words], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout.trim().split(' ');
}

test('the limit of core dumps is read as Linux writes it, and is unknown elsewhere', () => {
  const limits = (soft: string): string =>
    `Limit                     Soft Limit           Hard Limit           Units
Max file size             unlimited            unlimited            bytes
Max core file size        ${soft.padEnd(20)} unlimited            bytes
Max processes             95718                95718                processes
`;
  assert.equal(coreLimitOf(limits('0')), '0');
  assert.equal(coreLimitOf(limits('unlimited')), 'unlimited');
  assert.equal(coreLimitOf(''), undefined);
});

test('a process forbids core dumps of itself, and tells the limit that is left where it cannot', (t) => {
  if (process.platform !== 'linux') return t.skip('Linux alone tells the limit');
  const [before, ...after] = forbiddenIn(process.env['PATH'] ?? '');
  if (before === '0') return t.skip('the system forbids core dumps already');
  assert.deepEqual(after, ['0', '0']);
  assert.deepEqual(forbiddenIn('/nowhere'), [before, before, before]);
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { coreLimitOf, forbidCoreDumps } from './open-daemon.ts';

const MODULE = new URL('./open-daemon.ts', import.meta.url).href;

/**
 * What a process tells that may write as much of its memory as the system lets it: the limit before, the one that it is told
 * is left, and the one after.
 */
function forbiddenIn(path: string): string[] {
  const code = `
    const { readFileSync } = await import('node:fs');
    const { coreLimitOf, forbidCoreDumps } = await import('${MODULE}');
    const told = () => coreLimitOf(readFileSync('/proc/self/limits', 'utf8'));
    console.log([told(), forbidCoreDumps(), told()].join(' '));`;
  // Only the superuser may raise what is forbidden for good.
  const command =
    'ulimit -c unlimited 2> /dev/null || ulimit -S -c "$(ulimit -H -c)"; PATH="$1"; shift; exec "$@"';
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
  // Elsewhere the system does not tell, and nothing is changed.
  if (process.platform !== 'linux') return assert.equal(forbidCoreDumps(), undefined);
  const [before, ...after] = forbiddenIn(process.env['PATH'] ?? '');
  assert.deepEqual(after, ['0', '0']);
  assert.deepEqual(forbiddenIn('/nowhere'), [before, before, before]);
  if (before === '0') t.diagnostic('the system forbids core dumps for good: this shows no change');
});

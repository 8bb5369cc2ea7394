import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { until } from '../../packages/base/src/testing/index.ts';
import { starvedMillis } from './starved-millis.ts';

const COMPUTE = 'for (const p = process.ppid; process.ppid === p; ) for (let i = 0; i < 1e7; i++);';

/** A processor that this process may use. */
function ownProcessor(): string {
  const status = readFileSync('/proc/self/status', 'utf8');
  return (
    /^Cpus_allowed_list:\s*([0-9]+)/m.exec(status)?.[1] ?? assert.fail('no processor is named')
  );
}

test('processes that share a processor are starved, and one that is stopped is not', async (t) => {
  const canPin = spawnSync('taskset', ['--version']).status === 0;
  if (!canPin || !existsSync('/proc/self/schedstat'))
    return t.skip('passed over: no taskset or no schedstat here');
  const pinned = ['-c', ownProcessor(), process.execPath, '-e', COMPUTE];
  const children = Array.from({ length: 3 }, () => spawn('taskset', pinned, { stdio: 'ignore' }));
  t.after(() => children.forEach((child) => void child.kill('SIGKILL')));
  const [stopped, ...computing] = children.map(({ pid }) => pid);
  children[0]?.kill('SIGSTOP');
  const isStopped = (): boolean =>
    / T /.test(readFileSync(`/proc/${stopped}/stat`, 'utf8').replace(/\(.*\)/, ''));
  await until(isStopped, 'the first to stand still');
  const before = starvedMillis(stopped);
  const sum = (): number => computing.reduce<number>((total, pid) => total + starvedMillis(pid), 0);
  const mark = sum();
  await until(() => sum() > mark + 300, 'the others to wait for each other');
  assert.equal(starvedMillis(stopped), before);
});

test('of a process that is not there nothing is known', () => {
  assert.equal(starvedMillis(undefined), 0);
});

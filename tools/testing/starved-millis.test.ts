import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { until } from '../../packages/base/src/testing/index.ts';
import { starvedMillis } from './starved-millis.ts';

const COMPUTE = 'for (const p = process.ppid; process.ppid === p; ) for (let i = 0; i < 1e7; i++);';

test('processes that are more than the cores are starved, and one that is stopped is not', async (t) => {
  if (!existsSync('/proc/self/schedstat')) return t.skip('passed over: no schedstat here');
  const children = Array.from({ length: availableParallelism() + 2 }, () =>
    spawn(process.execPath, ['-e', COMPUTE], { stdio: 'ignore' }),
  );
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

/**
 * Prometheus' own checks, `promtool`, where it is installed. Tests that hand something to it say that they were passed over
 * on a machine without it; `metricProblems` reads metrics there all the same.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { TestContext } from 'node:test';
import { metricProblems } from './metric-problems.ts';

const PROGRAM = 'promtool';
const isThere = spawnSync(PROGRAM, ['--version']).status === 0;

/** For the option `skip` of a test. */
export const withoutPromtool: string | false = isThere
  ? false
  : 'promtool is not installed: passed over';

/** What it says against the files that the words name, or against its input; empty where it has nothing to say. */
export function promtoolComplaints(words: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(PROGRAM, words, { input, encoding: 'utf8' });
  return status === 0 ? stderr : `${stdout}${stderr}`;
}

/** Fails for metrics that Prometheus, or its linter, has something against. */
export async function expectGoodMetrics(t: TestContext, text: string): Promise<void> {
  assert.deepEqual(metricProblems(text), []);
  await t.test('promtool has nothing against the metrics', { skip: withoutPromtool }, () => {
    assert.equal(promtoolComplaints(['check', 'metrics'], text), '');
    assert.match(promtoolComplaints(['check', 'metrics'], 'wrong_metric{'), /wrong_metric|error/);
  });
}

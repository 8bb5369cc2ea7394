/**
 * Prometheus' own checks, `promtool`, where it is installed. Tests that use it are skipped on a machine without it;
 * `metricProblems` still checks metrics there.
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

/** Its complaints about the named files, or about its input; empty if it has none. */
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

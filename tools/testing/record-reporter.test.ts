import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { ROOT } from '../check/repository.ts';
import { mapRows } from '../check/spec-rows.ts';
import { rowTable } from './row-table.ts';
import { endedTests, RECORDS_VARIABLE, readRecords } from './test-record.ts';

/** Put together here, so that these do not count as tests of the rows they name. */
const NAMED = (id: string): string => `[${id}]`;

const TESTS = `
import { describe, test } from 'node:test';
test('${NAMED('XX-01')}${NAMED('BAL-01')} holds', () => {});
test('${NAMED('BAL-01')} holds too', () => {});
test('${NAMED('BAL-02')} does not hold', () => { throw new Error('no'); });
test('${NAMED('BAL-02')} holds elsewhere', () => {});
test('${NAMED('BAL-03')} is passed over', (t) => t.skip('not here'));
describe('${NAMED('BAL-04')} has a part', () => {
  test('that holds', () => {});
  test('that is passed over', { skip: true }, () => {});
});
`;

test('the table shows what ran: shown, failed, passed over and not shown', () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'sample.test.mjs');
  writeFileSync(file, TESTS);
  const reporter = join(ROOT, 'tools/testing/record-reporter.ts');
  const records = join(directory, 'records');
  const args = [
    '--test',
    '--test-isolation=none',
    `--test-reporter=${reporter}`,
    '--test-reporter-destination=stdout',
    file,
  ];
  const environment: NodeJS.ProcessEnv = { ...process.env, [RECORDS_VARIABLE]: records };
  delete environment['NODE_TEST_CONTEXT'];
  const ran = spawnSync(process.execPath, args, { encoding: 'utf8', env: environment });
  const ended = endedTests(readRecords(records));
  rmSync(directory, { recursive: true });
  const reasons = ended.flatMap(({ reason }) => reason?.split('\n')[0] ?? []);
  assert.deepEqual(reasons, ['Error: no'], 'why a test failed is reported with it');
  const ids = mapRows().map(({ id }) => id);
  const table = rowTable(ids, ended);
  const rows = table.split('\n').filter((line) => /sample\.test\.mjs|BAL-05/.test(line));
  assert.deepEqual(
    rows.map((line) => line.replace(/\S*sample\.test\.mjs: /, '').replace(/ {2,}/g, ' | ')),
    [
      'BAL-01 | shown | holds',
      ' | holds too',
      'BAL-02 | FAILED | FAILED: does not hold',
      ' | holds elsewhere',
      'BAL-03 | passed over | passed over: is passed over',
      'BAL-04 | passed over | passed over: has a part',
      'BAL-05 | not shown',
    ],
    ran.stdout + ran.stderr,
  );
  assert.match(table, /: 1 shown, 316 not shown, 2 passed over, 1 FAILED\n$/);
});

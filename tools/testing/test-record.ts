/**
 * What the process of a group of tests reports while it runs: one line of JSON when a test begins and one
 * when it ends. The lines of a process that died are as good as those of one that ended.
 */
import { existsSync, readFileSync } from 'node:fs';

/** The variable of the environment that names the file of the records. */
export const RECORDS_VARIABLE = 'SVC_TEST_RECORDS';

export type Outcome = 'passed' | 'FAILED' | 'passed over';

export interface TestName {
  readonly file: string;
  readonly name: string;
  /** 0 for a test at the top of its file, 1 for a part of such a test. */
  readonly nesting: number;
}

export interface EndedTest extends TestName {
  readonly outcome: Outcome;
  readonly millis: number;
  /** Why the test failed, in a few lines; absent for a test that only has a part that failed. */
  readonly reason?: string;
}

/** What a record says of a test, without its cost. */
export type ToldTest =
  | ({ readonly type: 'begun' } & TestName)
  | ({ readonly type: 'ended' } & EndedTest);

export type TestRecord = ToldTest & {
  /** The processor time of the process and its ended children until now. */
  readonly processorMillis: number;
};

export function recordLine(record: TestRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** A last line that is not whole yet is left out. */
export function readRecords(path: string): readonly TestRecord[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as TestRecord);
}

export function endedTests(records: readonly TestRecord[]): readonly EndedTest[] {
  return records.filter((record) => record.type === 'ended');
}

/** The processor time of each file of a process; time before the first test, loading above all, counts for its file. */
export function processorOfFiles(records: readonly TestRecord[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  let before = 0;
  for (const { file, processorMillis } of records) {
    sums.set(file, (sums.get(file) ?? 0) + processorMillis - before);
    before = processorMillis;
  }
  return sums;
}

/** Tests that have begun and not ended, outer ones first. The next test of a process begins when the last has ended. */
export function openTests(records: readonly TestRecord[]): readonly TestName[] {
  const open: TestName[] = [];
  for (const { type, file, name, nesting } of records) {
    while ((open.at(-1)?.nesting ?? -1) >= nesting) open.pop();
    if (type === 'begun') open.push({ file, name, nesting });
  }
  return open;
}

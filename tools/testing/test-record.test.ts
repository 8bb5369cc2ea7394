import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorOfFiles, type TestRecord } from './test-record.ts';

function begun(file: string, processorMillis: number): TestRecord {
  return { type: 'begun', file, name: 'any', nesting: 0, processorMillis };
}

function ended(file: string, processorMillis: number): TestRecord {
  return { ...begun(file, processorMillis), type: 'ended', outcome: 'passed', millis: 1 };
}

test('processor time is counted to the file whose record comes next', () => {
  const records = [begun('a', 300), ended('a', 500), begun('b', 510), ended('b', 510)];
  assert.deepEqual(
    [...processorOfFiles([...records, begun('a', 600)])],
    [
      ['a', 590],
      ['b', 10],
    ],
  );
});

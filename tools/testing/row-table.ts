/**
 * Which test of this run showed which row of the specification. Only executed tests count: a row whose test
 * failed or was skipped is listed as such, and so is a row that no test of the run named.
 */
import type { EndedTest } from './test-record.ts';

export type RanTest = Pick<EndedTest, 'name' | 'file' | 'outcome'>;

interface Row {
  readonly id: string;
  readonly tests: readonly RanTest[];
}

type RowState = 'shown' | 'FAILED' | 'passed over' | 'not shown';

const ROW_ID = /\[([A-Z]+-[0-9]{2})\]/g;
const STATES: readonly RowState[] = ['shown', 'not shown', 'passed over', 'FAILED'];

export function rowTable(ids: readonly string[], ran: readonly RanTest[]): string {
  const rows = ids.map((id) => ({ id, tests: ran.filter(({ name }) => idsOf(name).includes(id)) }));
  const counts = STATES.map(
    (state) => `${rows.filter((row) => stateOf(row) === state).length} ${state}`,
  );
  const sum = `rows of the specification: ${counts.join(', ')}`;
  return [...rows.flatMap(rowLines), sum, ''].join('\n');
}

function rowLines(row: Row): string[] {
  const start = `${row.id.padEnd(12)}${stateOf(row).padEnd(13)}`;
  if (row.tests.length === 0) return [start.trimEnd()];
  return row.tests.map(({ name, file, outcome }, index) => {
    const title = name.replace(/^(?:\[[A-Z]+-[0-9]{2}\]\s*)+/, '');
    const mark = outcome === 'passed' ? '' : `${outcome}: `;
    return `${index === 0 ? start : ' '.repeat(start.length)}${mark}${file}: ${title}`;
  });
}

function stateOf({ tests }: Row): RowState {
  const outcomes = new Set(tests.map(({ outcome }) => outcome));
  if (outcomes.has('FAILED')) return 'FAILED';
  if (outcomes.has('passed')) return 'shown';
  return outcomes.has('passed over') ? 'passed over' : 'not shown';
}

export function idsOf(name: string): readonly string[] {
  return [...name.matchAll(ROW_ID)].map(([, id]) => id as string);
}

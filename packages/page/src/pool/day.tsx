/**
 * A day of work as two charts and a table: the hash rate in steps of ten minutes, and the blocks of each hour beside those
 * that the work should have found.
 */
import type { JSX } from 'preact';
import { hashrate } from '../format/figures.ts';
import { exactTime } from '../format/times.ts';
import { BarChart } from '../parts/bar-chart.tsx';
import { Card, Table } from '../parts/layout.tsx';
import { LineChart } from '../parts/line-chart.tsx';
import type { HistoryStep, PoolHistory } from './documents.ts';

const HOUR_SECONDS = 3_600;

interface Hour {
  readonly fromMillis: number;
  readonly hashrate: number;
  readonly blocks: number;
  readonly expectedBlocks: number;
}

/** Hours that end with the last step, not those of the clock, so that each has as many steps as the others. */
function hoursOf({ steps, step_seconds }: PoolHistory): Hour[] {
  const count = HOUR_SECONDS / step_seconds;
  return Array.from({ length: Math.floor(steps.length / count) }, (_, at) => {
    const hour = steps.slice(at * count, (at + 1) * count);
    return {
      fromMillis: hour[0]?.from_millis ?? 0,
      hashrate: sumOf(hour, (step) => step.hashrate) / count,
      blocks: sumOf(hour, ({ blocks }) => blocks),
      expectedBlocks: sumOf(hour, (step) => step.expected_blocks),
    };
  });
}

function sumOf(steps: readonly HistoryStep[], value: (step: HistoryStep) => number): number {
  return steps.reduce((sum, step) => sum + value(step), 0);
}

function timeOf(millis: number): string {
  return `${exactTime(millis).slice(5, 16)} UTC`;
}

export function DayOfWork({ history }: { history: PoolHistory }): JSX.Element {
  const { steps } = history;
  if (steps.every((step) => step.hashrate === 0))
    return (
      <Card title="The last day">
        <p class="empty">No work was done in the last 24 hours.</p>
      </Card>
    );
  const hours = hoursOf(history);
  const found = hours.reduce((sum, { blocks }) => sum + blocks, 0);
  const expected = hours.reduce((sum, hour) => sum + hour.expectedBlocks, 0);
  const mean = sumOf(steps, (step) => step.hashrate) / steps.length;
  return (
    <div class="columns charts">
      <Card>
        <LineChart
          label={`Hash rate of the day, ${hashrate(mean)} on average`}
          points={steps.map((step) => ({ x: step.from_millis, y: step.hashrate }))}
          formatX={timeOf}
          formatY={hashrate}
        />
      </Card>
      <Card>
        <BarChart
          label="Blocks of the day"
          note={`${found} found, ${expected.toFixed(1)} expected of the work, luck ${((found / expected) * 100).toFixed(0)} %`}
          bars={hours.map(({ blocks, expectedBlocks }) => ({
            value: blocks,
            expected: expectedBlocks,
          }))}
          ends={[
            timeOf(steps[0]?.from_millis ?? 0),
            timeOf((steps.at(-1)?.from_millis ?? 0) + history.step_seconds * 1_000),
          ]}
        />
        <details>
          <summary>Figures by the hour</summary>
          <Table
            caption="Figures by the hour"
            rows={hours}
            keyOf={({ fromMillis }) => String(fromMillis)}
            empty=""
            columns={[
              { name: 'From', cell: ({ fromMillis }) => timeOf(fromMillis) },
              { name: 'Hash rate', kind: 'number', cell: (hour) => hashrate(hour.hashrate) },
              { name: 'Blocks', kind: 'number', cell: ({ blocks }) => blocks },
              {
                name: 'Expected',
                kind: 'number',
                cell: ({ expectedBlocks }) => expectedBlocks.toFixed(2),
              },
            ]}
          />
        </details>
      </Card>
    </div>
  );
}

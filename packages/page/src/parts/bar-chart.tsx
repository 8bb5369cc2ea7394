/**
 * Counts over time as bars, each beside what was expected of it.
 */
import type { JSX } from 'preact';

export interface Bar {
  readonly value: number;
  readonly expected: number;
}

export interface BarChartOptions {
  readonly label: string;
  /** A summary of the bars as text. */
  readonly note: string;
  readonly bars: readonly Bar[];
  readonly ends: readonly [string, string];
}

const HEIGHT = 150;
const PAD = 6;
const GAP = 0.1;

export function BarChart({ label, note, bars, ends }: BarChartOptions): JSX.Element {
  const most = Math.max(...bars.flatMap(({ value, expected }) => [value, expected])) || 1;
  const topOf = (value: number) => (HEIGHT - (value / most) * (HEIGHT - PAD)).toFixed(1);
  const path = bars.map(
    ({ value }, at) => `M${at + GAP} ${HEIGHT}V${topOf(value)}h${1 - 2 * GAP}V${HEIGHT}Z`,
  );
  const line = bars.map(
    ({ expected }, at) => `${at === 0 ? 'M0 ' : 'V'}${topOf(expected)}H${at + 1}`,
  );
  return (
    <figure class="chart">
      <figcaption>
        <span>{label}</span>
        <small>{note}</small>
      </figcaption>
      <svg
        viewBox={`0 0 ${bars.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${note}`}
      >
        <path class="bars" d={path.join('')} />
        <path class="expected" d={line.join('')} vector-effect="non-scaling-stroke" />
      </svg>
      <p class="ends" aria-hidden="true">
        <span>{ends[0]}</span>
        <span>bars: found, line: expected</span>
        <span>{ends[1]}</span>
      </p>
    </figure>
  );
}

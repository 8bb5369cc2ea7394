/**
 * One figure over time as a line, with the value under the pointer. Drawn as SVG, so that it follows the colours of the
 * page and needs no library.
 */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

export interface ChartPoint {
  readonly x: number;
  readonly y: number;
}

export interface LineChartOptions {
  readonly label: string;
  readonly points: readonly ChartPoint[];
  readonly formatX: (x: number) => string;
  readonly formatY: (y: number) => string;
  /** A mark on the x axis: its position, its text, and its current value. */
  readonly mark?: { readonly x: number; readonly text: string; readonly y: number };
  readonly empty?: string;
}

const WIDTH = 600;
const HEIGHT = 150;
const PAD = 6;

export function LineChart(options: LineChartOptions): JSX.Element {
  const { label, points, formatX, formatY, mark } = options;
  const [at, setAt] = useState<number | undefined>(undefined);
  if (points.length < 2) return <p class="empty">{options.empty ?? 'Not enough to draw yet.'}</p>;
  const scale = scaleOf(points);
  const line = points.map(({ x, y }) => `${scale.x(x).toFixed(1)} ${scale.y(y).toFixed(1)}`);
  const path = `M${line.join('L')}`;
  const shown = at === undefined ? undefined : points[at];
  const last = points.at(-1) as ChartPoint;
  const most = points.reduce((found, { y }) => Math.max(found, y), 0);
  const move = (event: PointerEvent): void => {
    const { left, width } = (event.currentTarget as SVGElement).getBoundingClientRect();
    const x = ((event.clientX - left) / width) * WIDTH;
    setAt(nearest(points, (value) => Math.abs(scale.x(value) - x)));
  };
  return (
    <figure class="chart">
      <figcaption>
        <span>{label}</span>
        <strong>{formatY((shown ?? mark ?? last).y)}</strong>
        <small>{shown === undefined ? (mark?.text ?? 'now') : formatX(shown.x)}</small>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${points.length} points, last ${formatY(last.y)}`}
        onPointerMove={move}
        onPointerLeave={() => setAt(undefined)}
      >
        <path
          class="area"
          d={`${path}L${scale.x(last.x)} ${HEIGHT}L${scale.x(points[0]?.x ?? 0)} ${HEIGHT}Z`}
        />
        <path class="line" d={path} vector-effect="non-scaling-stroke" />
        {mark === undefined ? null : (
          <line
            class="today"
            x1={scale.x(mark.x)}
            x2={scale.x(mark.x)}
            y1="0"
            y2={HEIGHT}
            vector-effect="non-scaling-stroke"
          />
        )}
        {shown === undefined ? null : (
          <line
            class="cursor"
            x1={scale.x(shown.x)}
            x2={scale.x(shown.x)}
            y1="0"
            y2={HEIGHT}
            vector-effect="non-scaling-stroke"
          />
        )}
      </svg>
      <p class="ends" aria-hidden="true">
        <span>{formatX(points[0]?.x ?? 0)}</span>
        <span class="most">highest {formatY(most)}</span>
        <span>{formatX(last.x)}</span>
      </p>
    </figure>
  );
}

interface Scale {
  x(value: number): number;
  y(value: number): number;
}

function scaleOf(points: readonly ChartPoint[]): Scale {
  const first = points[0]?.x ?? 0;
  const span = Math.max(1, (points.at(-1)?.x ?? 1) - first);
  const most = Math.max(...points.map(({ y }) => y), 0) || 1;
  return {
    x: (value) => ((value - first) / span) * WIDTH,
    y: (value) => HEIGHT - PAD - (value / most) * (HEIGHT - 2 * PAD),
  };
}

function nearest(points: readonly ChartPoint[], distance: (x: number) => number): number {
  let best = 0;
  for (const [place, { x }] of points.entries()) {
    if (distance(x) < distance(points[best]?.x ?? 0)) best = place;
  }
  return best;
}

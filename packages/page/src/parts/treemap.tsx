/**
 * Areas beside each other, as large as their sizes: rows that are filled until their areas are about as wide as high.
 */
import type { JSX } from 'preact';
import { href } from '../app/router.ts';
import { short } from './text.tsx';

export interface TreemapItem {
  readonly id: string;
  readonly size: number;
  /** The larger, the darker. */
  readonly weight: number;
  /** Whether it lies beyond the line; those that do come last. */
  readonly isBeyond?: boolean;
}

interface Area {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const WIDTH = 1_000;
const HEIGHT = 260;

/** Lays items out in strips from the left; all of the room is used. */
function layOut(items: readonly TreemapItem[], width = WIDTH, height = HEIGHT): Area[] {
  const total = items.reduce((sum, { size }) => sum + size, 0);
  if (total === 0) return [];
  const scale = (width * height) / total;
  const areas: Area[] = [];
  let x = 0;
  for (let at = 0; at < items.length; ) {
    const count = stripLength(items, at, scale, height);
    const strip = items.slice(at, at + count);
    const sum = strip.reduce((all, { size }) => all + size, 0) * scale;
    const wide = sum / height;
    let y = 0;
    for (const { id, size } of strip) {
      const high = (size * scale) / wide;
      areas.push({ id, x, y, width: wide, height: high });
      y += high;
    }
    x += wide;
    at += count;
  }
  return areas;
}

/** How many of the next items make the strip whose areas are closest to squares. */
function stripLength(
  items: readonly TreemapItem[],
  from: number,
  scale: number,
  height: number,
): number {
  let best = 1;
  let bestRatio = Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let count = 1; from + count <= items.length; count++) {
    const size = (items[from + count - 1] as TreemapItem).size * scale;
    sum += size;
    const wide = sum / height;
    const high = size / wide;
    const ratio = Math.max(wide / high, high / wide);
    if (ratio > bestRatio) break;
    bestRatio = ratio;
    best = count;
  }
  return best;
}

/** Where the first strip begins that has something beyond the line in it. */
function lineAt(items: readonly TreemapItem[], areas: readonly Area[]): number | undefined {
  const beyond = new Set(items.filter(({ isBeyond }) => isBeyond === true).map(({ id }) => id));
  const places = areas.filter(({ id }) => beyond.has(id)).map(({ x }) => x);
  return places.length === 0 ? undefined : Math.min(...places);
}

export function Treemap(props: {
  label: string;
  items: readonly TreemapItem[];
  empty: string;
}): JSX.Element {
  const { label, items, empty } = props;
  if (items.length === 0) return <p class="empty">{empty}</p>;
  const most = Math.max(...items.map(({ weight }) => weight), 1);
  const areas = layOut(items);
  const line = lineAt(items, areas);
  const weights = new Map(items.map(({ id, weight }) => [id, weight]));
  return (
    <svg
      class="treemap"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="group"
      aria-label={`${label}: ${items.length}`}
    >
      {areas.map(({ id, x, y, width, height }) => (
        <a key={id} href={href('tx', id)} aria-label={`Transaction ${short(id)}`}>
          <rect
            x={x + 1}
            y={y + 1}
            width={Math.max(1, width - 2)}
            height={Math.max(1, height - 2)}
            rx="3"
            fill-opacity={0.25 + (0.75 * (weights.get(id) ?? 0)) / most}
          />
        </a>
      ))}
      {line === undefined ? null : <line class="line" x1={line} x2={line} y1="0" y2={HEIGHT} />}
    </svg>
  );
}

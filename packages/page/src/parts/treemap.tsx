/**
 * Areas beside each other, as large as their sizes: rows that are filled until their areas are about as wide as high.
 */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { href, navigate } from '../app/router.ts';
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

/** Twice the room, so that areas are sharp on dense screens. */
const SCALE = 2;
const CORNER = 3;

function draw(
  canvas: HTMLCanvasElement,
  items: readonly TreemapItem[],
  areas: readonly Area[],
): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const { color, borderColor } = getComputedStyle(canvas);
  const most = items.reduce((found, { weight }) => Math.max(found, weight), 1);
  context.setTransform(SCALE, 0, 0, SCALE, 0, 0);
  context.clearRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = color;
  // A pixel on each side of an area, however small the canvas is shown.
  const gap = Math.max(1, WIDTH / Math.max(1, canvas.clientWidth));
  for (const [place, { x, y, width, height }] of areas.entries()) {
    context.globalAlpha = 0.25 + (0.75 * (items[place]?.weight ?? 0)) / most;
    context.beginPath();
    const [wide, high] = [width, height].map((size) => Math.max(1, size - 2 * gap)) as [
      number,
      number,
    ];
    context.roundRect(x + gap, y + gap, wide, high, CORNER * gap);
    context.fill();
  }
  const line = lineAt(items, areas);
  if (line === undefined) return;
  context.globalAlpha = 1;
  context.strokeStyle = borderColor;
  context.lineWidth = 3;
  context.setLineDash([8, 6]);
  context.beginPath();
  context.moveTo(line, 0);
  context.lineTo(line, HEIGHT);
  context.stroke();
}

/** The area under a pointer. */
function areaAt(areas: readonly Area[], event: MouseEvent): Area | undefined {
  const { width, height } = (event.currentTarget as Element).getBoundingClientRect();
  const [x, y] = [(event.offsetX / width) * WIDTH, (event.offsetY / height) * HEIGHT];
  return areas.find(
    (area) => x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height,
  );
}

/** Drawn in one go however many items there are. A pointer finds the item of an area; lists beside it are for keys. */
export function Treemap(props: {
  label: string;
  items: readonly TreemapItem[];
  empty: string;
}): JSX.Element {
  const { label, items, empty } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const areas = useMemo(() => layOut(items), [items]);
  useEffect(() => {
    const redraw = (): void => {
      if (canvas.current !== null) draw(canvas.current, items, areas);
    };
    redraw();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    return () => scheme.removeEventListener('change', redraw);
  }, [items, areas]);
  if (items.length === 0) return <p class="empty">{empty}</p>;
  return (
    <canvas
      ref={canvas}
      class="treemap"
      width={WIDTH * SCALE}
      height={HEIGHT * SCALE}
      role="img"
      aria-label={`${label}: ${items.length}`}
      onMouseMove={(event) => {
        const found = areaAt(areas, event);
        event.currentTarget.title = found === undefined ? '' : `Transaction ${short(found.id)}`;
      }}
      onClick={(event) => {
        const found = areaAt(areas, event);
        if (found !== undefined) navigate(href('tx', found.id));
      }}
    />
  );
}

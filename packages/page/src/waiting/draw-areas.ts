/** Draws the areas of waiting transactions, and the line that the next block would end at. */
import type { Area, Room } from './areas.ts';
import type { Ordered } from './order.ts';

/** How a canvas is shown, as the page knows from its style. */
export interface Look extends Room {
  /** Pixels of the screen for one of the style. */
  readonly density: number;
  readonly color: string;
  readonly lineColor: string;
}

const CORNER = 3;
/** On each side of an area. */
const GAP = 1;
const LINE_WIDTH = 3;
const FAINTEST = 0.25;

export function drawAreas(
  canvas: OffscreenCanvas,
  { width, height, density, color, lineColor }: Look,
  { items, next }: Ordered,
  areas: readonly Area[],
): void {
  const [wide, high] = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  context.fillStyle = color;
  const most = items.reduce((found, { rate }) => Math.max(found, rate), 1);
  for (const [place, area] of areas.entries()) {
    context.globalAlpha = FAINTEST + ((1 - FAINTEST) * (items[place]?.rate ?? 0)) / most;
    context.beginPath();
    const [across, down] = [area.width, area.height].map((size) => Math.max(1, size - 2 * GAP));
    context.roundRect(area.x + GAP, area.y + GAP, across as number, down as number, CORNER);
    context.fill();
  }
  context.globalAlpha = 1;
  const line = areas[next]?.x;
  if (line === undefined) return;
  context.strokeStyle = lineColor;
  context.lineWidth = LINE_WIDTH;
  context.setLineDash([8, 6]);
  context.beginPath();
  context.moveTo(line, 0);
  context.lineTo(line, height);
  context.stroke();
}

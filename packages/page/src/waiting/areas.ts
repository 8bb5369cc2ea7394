/**
 * Areas beside each other, as large as their sizes: strips from the left that are filled until their areas are about as wide
 * as high. Pure; drawing is elsewhere.
 */

export interface Sized {
  readonly size: number;
}

/** From the upper left corner, in the units of the room. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Room {
  readonly width: number;
  readonly height: number;
}

/** An area for each item, in their order; all of the room is used. */
export function layOut(items: readonly Sized[], { width, height }: Room): Area[] {
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
    for (const { size } of strip) {
      const high = (size * scale) / wide;
      areas.push({ x, y, width: wide, height: high });
      y += high;
    }
    x += wide;
    at += count;
  }
  return areas;
}

/** How many of the next items make the strip whose areas are closest to squares. */
function stripLength(items: readonly Sized[], from: number, scale: number, height: number): number {
  let best = 1;
  let bestRatio = Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let count = 1; from + count <= items.length; count++) {
    const size = (items[from + count - 1] as Sized).size * scale;
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

/** The index of the area at a point, or -1. */
export function placeAt(areas: readonly Area[], x: number, y: number): number {
  return areas.findIndex(
    (area) => x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height,
  );
}

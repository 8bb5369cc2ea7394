/**
 * The name that was probably meant.
 */

/** The closest of the names, if it is close enough to be worth naming. */
export function nearest(given: string, names: readonly string[]): string | null {
  const ranked = names
    .map((name) => ({ name, distance: editDistance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  if (best === undefined) return null;
  return best.distance <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : null;
}

export function suggestion(given: string, names: readonly string[]): string {
  const name = nearest(given, names);
  return name === null ? '' : `; did you mean ${name}?`;
}

/** Insertions, deletions, replacements, and two neighbours swapped. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const best = Math.min(replaced, (previous[j] as number) + 1, (current[j - 1] as number) + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      current[j] = swapped ? Math.min(best, (before[j - 2] as number) + 1) : best;
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] as number;
}

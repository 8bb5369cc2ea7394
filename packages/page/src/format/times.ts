/**
 * Times as people read them: how long ago, and the exact time on request.
 */
export function exactTime(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function clockTime(millis: number): string {
  return new Date(millis).toLocaleTimeString([], { hour12: false });
}

const UNITS: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

export function duration(seconds: number): string {
  for (const [size, name] of UNITS) {
    if (seconds >= size) {
      const rest = UNITS[UNITS.findIndex(([each]) => each === size) + 1];
      const count = Math.floor(seconds / size);
      const more = rest === undefined ? 0 : Math.floor((seconds % size) / rest[0]);
      return more > 0 && rest !== undefined
        ? `${count} ${name} ${more} ${rest[1]}`
        : `${count} ${name}`;
    }
  }
  return '0 s';
}

/** The chain's clock can be ahead of the reader's, on a development network by hours. */
export function ago(millis: number, now: number): string {
  const seconds = Math.floor((now - millis) / 1_000);
  if (seconds < -2) return `at ${exactTime(millis).slice(11)}`;
  return seconds < 1 ? 'now' : `${duration(seconds)} ago`;
}

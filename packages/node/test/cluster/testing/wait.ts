/**
 * Waiting for what other processes do.
 */
const PAUSE_MILLIS = 100;

export function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}

/** What is found at last, and how long that took; refuses to wait longer than it is told. */
export async function waited<T>(
  find: () => Promise<T | undefined>,
  what: string,
  millisMax: number,
): Promise<{ readonly found: T; readonly millis: number }> {
  const start = performance.now();
  for (;;) {
    const found = await find();
    const millis = performance.now() - start;
    if (found !== undefined) return { found, millis };
    if (millis > millisMax) throw new Error(`waited ${Math.round(millis)} ms in vain for ${what}`);
    await pause(PAUSE_MILLIS);
  }
}

/**
 * Names the kind of a value that was not expected, for the sentence of an error. It never shows the
 * value itself, which may be secret.
 */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (typeof value !== 'object') return `a ${typeof value}`;
  return isArray(value) ? 'an array' : 'an object';
}

/** Whether a value is an array. `Array.isArray` alone would throw for a revoked proxy. */
export function isArray(value: unknown): value is unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

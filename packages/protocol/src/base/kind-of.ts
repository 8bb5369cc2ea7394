/**
 * Names the kind of a value that was not expected, for the sentence of an error. It never shows the
 * value itself, which may be secret.
 */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

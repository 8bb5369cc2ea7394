/**
 * A number for every value that is equal for equal values, whatever a machine state consists of. Machine states are never
 * changed and share most of their parts, so each object is looked at once.
 */
const ofObjects = new WeakMap<object, number>();
const ofTexts = new Map<string, number>();

export function identityOf(value: unknown): number {
  if (typeof value !== 'object' || value === null)
    return numberOf(`${typeof value} ${String(value)}`);
  const known = ofObjects.get(value);
  if (known !== undefined) return known;
  const identity = numberOf(textOf(value));
  ofObjects.set(value, identity);
  return identity;
}

/** A map in the order of its entries: what was kept first may count. */
function textOf(value: object): string {
  if (value instanceof Uint8Array) return `bytes ${value.join()}`;
  if (Array.isArray(value)) return `list ${value.map(identityOf).join()}`;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return entries.map(([key, part]) => `${String(key)} ${identityOf(part)}`).join();
}

function numberOf(text: string): number {
  const known = ofTexts.get(text) ?? ofTexts.size;
  ofTexts.set(text, known);
  return known;
}

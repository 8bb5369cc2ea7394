/** Hashes of the model, by the runtime's own SHA-384. */
import { createHash } from 'node:crypto';

export function idOfLabel(label: string, data: string | Uint8Array): string {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'hex') : data;
  return createHash('sha384').update(label).update(bytes).digest('hex');
}

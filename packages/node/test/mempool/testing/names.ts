import { createHash } from 'node:crypto';

/** An identifier that belongs to a name. */
export function idOf(name: string): string {
  return createHash('sha384').update(name).digest('hex');
}

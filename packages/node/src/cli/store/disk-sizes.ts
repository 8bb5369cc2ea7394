/**
 * How much room the parts of a data directory take.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export function diskSizes(directory: string): Record<string, number> {
  const sizes: Record<string, number> = {};
  for (const name of readdirSync(directory).sort()) sizes[name] = bytesBelow(join(directory, name));
  return sizes;
}

function bytesBelow(path: string): number {
  const found = lstatSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0);
}

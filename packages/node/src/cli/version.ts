/**
 * The release of the node.
 */
import { readFileSync } from 'node:fs';

export function nodeVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

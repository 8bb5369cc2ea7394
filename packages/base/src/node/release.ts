/**
 * The release of a program, as the `package.json` of its package says.
 */
import { readFileSync } from 'node:fs';

export function releaseOf(packageJson: URL): string {
  return (JSON.parse(readFileSync(packageJson, 'utf8')) as { version: string }).version;
}

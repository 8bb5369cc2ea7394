/** A copy of a store that is open, as its files are: what a process leaves that is killed in this moment. No cut may be under way. */
import { copyFileSync, linkSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Never changed once they are written, and too large to be copied. */
const LINKED = /^(trees|\d+\.ldb)$/;
/** Says who holds the store. */
const HOLDER = 'holder.json';

export function copyAsKilled(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyAsKilled(source, target);
    else if (LINKED.test(entry.name)) linkSync(source, target);
    else if (entry.name !== HOLDER) copyFileSync(source, target);
  }
}

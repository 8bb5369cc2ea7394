/**
 * Packs everything that people install into tarballs in `packed/`, or all programs into one Debian package there.
 *
 * Usage: npm run pack [-- name…]
 *        npm run pack -- --deb [program…]
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeDeb } from './pack/deb.ts';
import { makeTarballs, PACKAGE_NAMES } from './pack/tarballs.ts';
import { sha256 } from './release/hashes.ts';
import { ROOT } from './release/paths.ts';

const DEB = '--deb';
const FOLDER = join(ROOT, 'packed');

function tell(file: string, bytes: number): void {
  const size = (bytes / 1024).toFixed(1).padStart(8);
  process.stdout.write(`packed/${file.padEnd(28)} ${size} KiB\n`);
}

/** The sum is beside the package, since `SHA256SUMS` is that of the tarballs. */
async function packDeb(programs: readonly string[]): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const path = await makeDeb(FOLDER, programs.length === 0 ? {} : { programs });
  const file = basename(path);
  writeFileSync(`${path}.sha256`, `${sha256(readFileSync(path))}  ${file}\n`);
  tell(file, statSync(path).size);
}

const words = process.argv.slice(2);
const names = words.filter((word) => word !== DEB);
if (words.includes(DEB)) await packDeb(names);
else {
  const wanted = names.length === 0 ? PACKAGE_NAMES : names;
  for (const { file, bytes } of await makeTarballs(FOLDER, wanted)) tell(file, bytes);
}

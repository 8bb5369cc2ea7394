/**
 * Packs everything that people install into tarballs in `packed/`.
 *
 * Usage: npm run pack [-- name…]
 */
import { join } from 'node:path';
import { makeTarballs, PACKAGE_NAMES } from './pack/tarballs.ts';
import { ROOT } from './release/paths.ts';

const names = process.argv.slice(2);
const tarballs = await makeTarballs(
  join(ROOT, 'packed'),
  names.length === 0 ? PACKAGE_NAMES : names,
);
for (const { file, bytes } of tarballs)
  process.stdout.write(`packed/${file.padEnd(28)} ${(bytes / 1024).toFixed(1).padStart(8)} KiB\n`);

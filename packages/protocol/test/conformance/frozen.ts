/**
 * The frozen conformance hashes, kept in `vectors/conformance.json`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ConformanceHashes } from './conformance.ts';

const FILE = fileURLToPath(new URL('../../../../vectors/conformance.json', import.meta.url));
const NOTE =
  'For each encoded type: SHA-384 over the first 2,048 and over all 65,536 generated encodings, each behind its length as u32. The generator is packages/protocol/test/generate.';

export type FrozenHashes = Readonly<Record<string, ConformanceHashes>>;

export function readFrozen(): FrozenHashes {
  const file = JSON.parse(readFileSync(FILE, 'utf8')) as { readonly types: FrozenHashes };
  return file.types;
}

export function writeFrozen(types: FrozenHashes): void {
  writeFileSync(FILE, `${JSON.stringify({ note: NOTE, types }, null, 2)}\n`);
}

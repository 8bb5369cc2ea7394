/**
 * Writes the vector files, or with `--check` compares them with what the code makes.
 *
 * Usage: node tools/bootstrap.mjs packages/protocol/test/vectors/generate.ts [--check]
 *
 * The files are frozen. Writing them again is right only when the protocol itself has changed.
 */
import { init } from '../../src/entry/node.ts';
import { DOCUMENTS, readVectors, textOf, writeVectors } from './documents.ts';

await init();
const isCheck = process.argv.includes('--check');
let different = 0;
for (const [name, make] of Object.entries(DOCUMENTS)) {
  const text = textOf(make());
  if (!isCheck) {
    writeVectors(name, text);
    process.stdout.write(`${name}: ${text.length} bytes written\n`);
  } else if (readVectors(name) !== text) {
    different++;
    process.stderr.write(`${name}: differs from what the code makes\n`);
  }
}
process.exit(different === 0 ? 0 : 1);

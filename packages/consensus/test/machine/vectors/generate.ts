/**
 * Writes `vectors/validators.json`. The file is frozen: writing it again is right only when the
 * protocol itself has changed.
 *
 * Usage: node tools/bootstrap.mjs packages/consensus/test/machine/vectors/generate.ts
 */
import { writeFileSync } from 'node:fs';
import { textOfValidatorVectors, VALIDATOR_VECTORS_URL } from './file.ts';

const text = textOfValidatorVectors();
writeFileSync(VALIDATOR_VECTORS_URL, text);
process.stdout.write(`validators.json: ${text.length} bytes written\n`);

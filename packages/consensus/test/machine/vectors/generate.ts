/**
 * Writes `vectors/validators.json` and `vectors/conformance-messages.json`. The files are frozen: writing them again is right only
 * when the protocol itself has changed.
 *
 * Usage: node tools/bootstrap.mjs packages/consensus/test/machine/vectors/generate.ts
 */
import { writeFileSync } from 'node:fs';
import {
  MESSAGE_DIGESTS_URL,
  textOfMessageDigests,
  textOfValidatorVectors,
  VALIDATOR_VECTORS_URL,
} from './file.ts';

const texts: readonly (readonly [URL, string])[] = [
  [VALIDATOR_VECTORS_URL, textOfValidatorVectors()],
  [MESSAGE_DIGESTS_URL, textOfMessageDigests()],
];
for (const [url, text] of texts) {
  writeFileSync(url, text);
  process.stdout.write(`${url.pathname}: ${text.length} bytes written\n`);
}

/**
 * Writes `vectors/ledger.json` and `vectors/conformance-state.json`. The files are frozen: writing them again is right only when the
 * protocol itself has changed.
 *
 * Usage: node tools/bootstrap.mjs packages/ledger/test/vectors/generate.ts
 */
import { writeFileSync } from 'node:fs';
import {
  LEDGER_VECTORS_URL,
  STATE_DIGESTS_URL,
  textOfLedgerVectors,
  textOfStateDigests,
} from './file.ts';

const texts: readonly (readonly [URL, string])[] = [
  [LEDGER_VECTORS_URL, textOfLedgerVectors()],
  [STATE_DIGESTS_URL, textOfStateDigests()],
];
for (const [url, text] of texts) {
  writeFileSync(url, text);
  process.stdout.write(`${url.pathname}: ${text.length} bytes written\n`);
}

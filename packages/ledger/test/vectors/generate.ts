/**
 * Writes `vectors/ledger.json`. The file is frozen: writing it again is right only when the protocol
 * itself has changed.
 *
 * Usage: node tools/bootstrap.mjs packages/ledger/test/vectors/generate.ts
 */
import { writeFileSync } from 'node:fs';
import { LEDGER_VECTORS_URL, textOfLedgerVectors } from './file.ts';

const text = textOfLedgerVectors();
writeFileSync(LEDGER_VECTORS_URL, text);
process.stdout.write(`ledger.json: ${text.length} bytes written\n`);

/**
 * Where the frozen vectors of the ledger are, and the text that the code makes of them.
 */
import { ledgerVectors } from './ledger-vectors.ts';

export const LEDGER_VECTORS_URL = new URL('../../../../vectors/ledger.json', import.meta.url);

export function textOfLedgerVectors(): string {
  return `${JSON.stringify(ledgerVectors(), null, 2)}\n`;
}

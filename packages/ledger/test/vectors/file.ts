/**
 * Where the frozen vectors of the ledger and the conformance digests of its encodings are, and the texts that the code makes of
 * them.
 */
import { conformanceHashes } from '../../../protocol/test/conformance/conformance.ts';
import { ledgerVectors } from './ledger-vectors.ts';
import { STATE_CODECS } from './state-codecs.ts';

const VECTORS = new URL('../../../../vectors/', import.meta.url);
export const LEDGER_VECTORS_URL = new URL('ledger.json', VECTORS);
export const STATE_DIGESTS_URL = new URL('conformance-state.json', VECTORS);

const CASES = 2_048;
const NOTE = `For each encoding of docs/protocol.md 9.4 to 9.6 that the ledger alone makes: SHA-384 over ${CASES.toLocaleString('en')} generated encodings, each behind its length as u32. The generator is packages/ledger/test/vectors/state-codecs.ts.`;

export function textOfLedgerVectors(): string {
  return `${JSON.stringify(ledgerVectors(), null, 2)}\n`;
}

export function textOfStateDigests(): string {
  const digests = STATE_CODECS.map((codec) => [codec.name, conformanceHashes(codec, [CASES])]);
  return `${JSON.stringify({ note: NOTE, types: Object.fromEntries(digests) }, null, 2)}\n`;
}

/**
 * Where the frozen vectors of validators and the conformance digests of their messages are, and the texts that the code makes of
 * them.
 */
import { conformanceHashes } from '../../../../protocol/test/conformance/conformance.ts';
import { MESSAGE_CODECS } from './message-codecs.ts';
import { validatorVectors } from './validator-vectors.ts';

const VECTORS = new URL('../../../../../vectors/', import.meta.url);
export const VALIDATOR_VECTORS_URL = new URL('validators.json', VECTORS);
export const MESSAGE_DIGESTS_URL = new URL('conformance-messages.json', VECTORS);

/** Thousands of cases take seconds. */
const CASES = 2_048;
const NOTE = `For each message of docs/protocol.md 8.6 that is no signed message, certificate or evidence alone, and for what a validator writes down (8.7): SHA-384 over ${CASES.toLocaleString('en')} generated encodings, each behind its length as u32. The generator is packages/consensus/test/machine/vectors/message-codecs.ts.`;

export function textOfValidatorVectors(): string {
  return `${JSON.stringify(validatorVectors(), null, 2)}\n`;
}

export function textOfMessageDigests(): string {
  const digests = MESSAGE_CODECS.map((codec) => [codec.name, conformanceHashes(codec, [CASES])]);
  return `${JSON.stringify({ note: NOTE, types: Object.fromEntries(digests) }, null, 2)}\n`;
}

/**
 * Certificates: the precommits of one round for one cut (what makes it final), or its prevotes (a
 * polka); `docs/protocol.md` 8.3. Encoding and decoding check the form, `verify-certificate.ts` the
 * signatures.
 */
import { expectBytes } from '../base/bytes.ts';
import { Reader } from '../base/reader.ts';
import { ID_BYTES, SIGNATURE_BYTES } from '../base/sizes.ts';
import { Writer } from '../base/writer.ts';
import { expectAtMost, expectThat } from './check.ts';
import { signerIndexes } from './signers.ts';
import { checkValidRound, ROUND_MAX } from './vote.ts';

export interface Certificate {
  readonly height: bigint;
  readonly round: number;
  readonly cutId: Uint8Array;
  readonly validatorSetId: Uint8Array;
  /** Bitmap over the set; one signature for each bit, lowest first. */
  readonly signers: bigint;
  readonly signatures: readonly Uint8Array[];
}

export interface PolkaCertificate extends Certificate {
  /** The valid round that all these prevotes carry. */
  readonly validRound: number;
}

export function encodeCertificate(certificate: Certificate, path = 'certificate'): Uint8Array {
  return writeCertificate(new Writer(), certificate, path).finish();
}

export function decodeCertificate(bytes: Uint8Array, path = 'certificate'): Certificate {
  const reader = new Reader(expectBytes(bytes, path), path);
  const certificate = readCertificate(reader, path);
  reader.end();
  return certificate;
}

export function encodePolkaCertificate(polka: PolkaCertificate, path = 'polka'): Uint8Array {
  checkValidRound(polka.validRound, polka.round, `${path}.validRound`);
  return writeCertificate(new Writer().i32(polka.validRound), polka, path).finish();
}

export function decodePolkaCertificate(bytes: Uint8Array, path = 'polka'): PolkaCertificate {
  const reader = new Reader(expectBytes(bytes, path), path);
  const validRound = reader.i32();
  const certificate = readCertificate(reader, path);
  reader.end();
  checkValidRound(validRound, certificate.round, `${path}.validRound`);
  return { ...certificate, validRound };
}

function writeCertificate(writer: Writer, certificate: Certificate, path: string): Writer {
  checkCertificate(certificate, path);
  writer
    .u64(certificate.height)
    .u32(certificate.round)
    .raw(expectBytes(certificate.cutId, `${path}.cutId`, ID_BYTES))
    .raw(expectBytes(certificate.validatorSetId, `${path}.validatorSetId`, ID_BYTES))
    .u64(certificate.signers);
  certificate.signatures.forEach((signature, index) => {
    writer.raw(expectBytes(signature, `${path}.signatures[${index}]`, SIGNATURE_BYTES));
  });
  return writer;
}

function readCertificate(reader: Reader, path: string): Certificate {
  const height = reader.u64();
  const round = reader.u32();
  const cutId = reader.raw(ID_BYTES);
  const validatorSetId = reader.raw(ID_BYTES);
  const signers = reader.u64();
  const signatures = signerIndexes(signers).map(() => reader.raw(SIGNATURE_BYTES));
  const certificate = { height, round, cutId, validatorSetId, signers, signatures };
  checkCertificate(certificate, path);
  return certificate;
}

function checkCertificate(certificate: Certificate, path: string): void {
  expectAtMost(certificate.round, ROUND_MAX, `${path}.round`);
  const expected = signerIndexes(certificate.signers).length;
  expectThat(expected > 0, 'bad_cut', 'expected at least one signer', `${path}.signers`);
  const found = certificate.signatures.length;
  expectThat(
    found === expected,
    'bad_cut',
    `expected ${expected} signatures, found ${found}`,
    `${path}.signatures`,
  );
}

/**
 * Certificates: the precommits of one round for one cut (what makes it final), or its prevotes (a
 * polka); `docs/protocol.md` 8.3. The kernel decodes them; here they are written and their fields
 * taken out. `verify-certificate.ts` has the signatures checked.
 */
import {
  CERTIFICATE_BYTES_MAX,
  CERTIFICATE_CUT_ID,
  CERTIFICATE_HEIGHT,
  CERTIFICATE_ROUND,
  CERTIFICATE_SET_ID,
  CERTIFICATE_SIGNATURES,
  CERTIFICATE_SIGNERS,
  VALID_ROUND_BYTES,
} from '../../assembly/cut/layout.ts';
import { copyBytes, expectBytes } from '../base/bytes.ts';
import { ID_BYTES, SIGNATURE_BYTES } from '../base/sizes.ts';
import { Writer } from '../base/writer.ts';
import { kernel } from '../kernel/current.ts';
import { kernelError } from '../kernel/kernel-errors.ts';
import { expectAtMost, expectThat } from './check.ts';
import { CERTIFICATE_AT, placeBytes } from './kernel-input.ts';
import { signerIndexes } from './signers.ts';
import { checkValidRound, ROUND_MAX, VOTE_KINDS, type VoteKind } from './vote.ts';

/** What a certificate says, without the signatures. */
export interface CertificateHead {
  readonly height: bigint;
  readonly round: number;
  readonly cutId: Uint8Array;
  readonly validatorSetId: Uint8Array;
  /** Bitmap over the set; one signature for each bit, lowest first. */
  readonly signers: bigint;
}

export interface Certificate extends CertificateHead {
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
  const head = decodeCertificateHead('precommit', bytes, path);
  return { ...head, signatures: copySignatures(CERTIFICATE_AT, head) };
}

export function encodePolkaCertificate(polka: PolkaCertificate, path = 'polka'): Uint8Array {
  checkValidRound(polka.validRound, polka.round, `${path}.validRound`);
  return writeCertificate(new Writer().i32(polka.validRound), polka, path).finish();
}

export function decodePolkaCertificate(bytes: Uint8Array, path = 'polka'): PolkaCertificate {
  const head = decodeCertificateHead('prevote', bytes, path);
  const { view, input } = kernel();
  const signatures = copySignatures(CERTIFICATE_AT + VALID_ROUND_BYTES, head);
  return { ...head, signatures, validRound: view.getInt32(input + CERTIFICATE_AT, true) };
}

/** Decodes a certificate of votes of the given kind, without copying its signatures. */
export function decodeCertificateHead(
  kind: VoteKind,
  certificate: Uint8Array,
  path: string,
): CertificateHead {
  const instance = kernel();
  const { bytes, view, input } = instance;
  const start = input + CERTIFICATE_AT;
  const length = placeBytes(bytes, start, expectBytes(certificate, path), CERTIFICATE_BYTES_MAX);
  const error = instance.invoke((exports) =>
    exports.certificateDecode(VOTE_KINDS[kind], start, length),
  );
  if (error !== 0) throw kernelError(error, -1, path);
  const at = kind === 'prevote' ? start + VALID_ROUND_BYTES : start;
  return {
    height: view.getBigUint64(at + CERTIFICATE_HEIGHT, true),
    round: view.getUint32(at + CERTIFICATE_ROUND, true),
    cutId: copyBytes(bytes, at + CERTIFICATE_CUT_ID, ID_BYTES),
    validatorSetId: copyBytes(bytes, at + CERTIFICATE_SET_ID, ID_BYTES),
    signers: view.getBigUint64(at + CERTIFICATE_SIGNERS, true),
  };
}

/** Copies the signatures of the certificate that was decoded just now. */
function copySignatures(fieldsAt: number, { signers }: CertificateHead): Uint8Array[] {
  const { bytes, input } = kernel();
  const first = input + fieldsAt + CERTIFICATE_SIGNATURES;
  return signerIndexes(signers).map((_, index) =>
    copyBytes(bytes, first + index * SIGNATURE_BYTES, SIGNATURE_BYTES),
  );
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

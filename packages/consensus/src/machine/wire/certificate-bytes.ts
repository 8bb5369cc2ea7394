/**
 * Commit and polka certificates as bytes; `docs/protocol.md` 8.3. The form is checked here, the
 * signatures by the verifier.
 */
import {
  type Certificate as CertificateFields,
  decodeCertificate as decodeCertificateBytes,
  decodePolkaCertificate as decodePolkaBytes,
  encodeCertificate as encodeCertificateBytes,
  encodePolkaCertificate as encodePolkaBytes,
} from 'svc-wasm/protocol';
import type { Certificate } from '../base/certificate.ts';
import type { CommitCertificate, PolkaCertificate } from '../base/messages.ts';
import type { WireContext } from './wire-context.ts';
import {
  cutIdBytes,
  cutIdFrom,
  expectSetOf,
  heightFrom,
  roundFrom,
  setIdFor,
} from './wire-context.ts';

export function encodeCertificate(context: WireContext, certificate: Certificate): Uint8Array {
  const fields = fieldsOf(context, certificate);
  return certificate.kind === 'commitCertificate'
    ? encodeCertificateBytes(fields)
    : encodePolkaBytes({ ...fields, validRound: certificate.validRound });
}

export function decodeCommitCertificate(
  context: WireContext,
  bytes: Uint8Array,
  path = 'certificate',
): CommitCertificate {
  const fields = decodeCertificateBytes(bytes, path);
  return { kind: 'commitCertificate', ...sharedFrom(context, fields, path) };
}

export function decodePolkaCertificate(
  context: WireContext,
  bytes: Uint8Array,
  path = 'polka',
): PolkaCertificate {
  const fields = decodePolkaBytes(bytes, path);
  const validRound = roundFrom(fields.validRound);
  return { kind: 'polkaCertificate', validRound, ...sharedFrom(context, fields, path) };
}

function fieldsOf(context: WireContext, certificate: Certificate): CertificateFields {
  const { height, round, value, signers, signatures } = certificate;
  return {
    height: BigInt(height),
    round,
    cutId: cutIdBytes(value),
    validatorSetId: setIdFor(context, height, 'height'),
    signers,
    signatures,
  };
}

function sharedFrom(context: WireContext, fields: CertificateFields, path: string) {
  const { signers, signatures } = fields;
  const height = heightFrom(fields.height, `${path}.height`);
  expectSetOf(context, height, fields.validatorSetId, `${path}.validatorSetId`);
  const value = cutIdFrom(fields.cutId);
  return { height, round: roundFrom(fields.round), value, signers, signatures };
}

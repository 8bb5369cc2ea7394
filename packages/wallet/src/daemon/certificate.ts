/**
 * The certificate of a daemon that speaks TLS itself. The key is a secret file like a token: one that others can read is
 * refused. Callers on this machine know the certificate by its fingerprint, others by its authority or a copy of it.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';
import { fingerprintOf } from 'svc-base/node';
import { messageOf } from 'svc-base/pure';
import { FileRefusal } from '../errors.ts';
import { readSecret } from '../file/secret-file.ts';

/** Where the two PEM files are. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface DaemonCertificate {
  readonly context: SecureContextOptions;
  /** SHA-256 of the certificate, in hexadecimal. */
  readonly fingerprint: string;
  /** As the certificate writes it. */
  readonly validTo: string;
  /** Whether the certificate is for this name. */
  isFor(hostName: string): boolean;
}

/** The exchange of keys is a hybrid with ML-KEM for every caller that knows it. */
const GROUPS = 'X25519MLKEM768:X25519:P-256';

export function readCertificate({
  certificate: path,
  key: keyPath,
}: CertificateFiles): DaemonCertificate {
  const key = Buffer.from(readSecret(keyPath));
  const privateKey = parsed(keyPath, 'a private key in PEM without a password', () =>
    createPrivateKey(key),
  );
  const cert = readPublic(path);
  const certificate = parsed(path, 'a certificate in PEM', () => new X509Certificate(cert));
  if (!certificate.checkPrivateKey(privateKey)) {
    const hint = `is ${keyPath} the key of another certificate?`;
    throw new FileRefusal('damaged', path, 'does not belong to the key', hint);
  }
  const context = { cert, key, minVersion: 'TLSv1.3', ecdhCurve: GROUPS } as const;
  return {
    context,
    fingerprint: fingerprintOf(cert),
    validTo: certificate.validTo,
    isFor: (hostName) => certificate.checkHost(hostName) !== undefined,
  };
}

function readPublic(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const fault = code === 'ENOENT' ? 'missing' : 'unreadable';
    throw new FileRefusal(fault, path, `cannot be read (${code})`, undefined, cause);
  }
}

function parsed<T>(path: string, expected: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    const found = `is not ${expected}: ${messageOf(cause)}`;
    throw new FileRefusal('damaged', path, found, undefined, cause);
  }
}

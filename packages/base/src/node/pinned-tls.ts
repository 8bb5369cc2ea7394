/**
 * Fingerprints of certificates: SHA-256 of the certificate as 64 lower-case hexadecimal characters. Two sides that know
 * each other's fingerprint need no authority: the handshake proves that the other side has the key of its certificate.
 */
import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';

const FINGERPRINT = /^[0-9a-f]{64}$/;

/** Accepts the colons and capitals that other tools print; undefined if it is no fingerprint. */
export function parseFingerprint(text: string): string | undefined {
  const plain = text.replaceAll(':', '').toLowerCase();
  return FINGERPRINT.test(plain) ? plain : undefined;
}

/** `certificate` is PEM or DER. */
export function fingerprintOf(certificate: string | Uint8Array): string {
  return parseFingerprint(new X509Certificate(certificate).fingerprint256) as string;
}

/** The fingerprint of the other side's certificate, after the handshake; undefined without one. */
export function peerFingerprint(socket: TLSSocket): string | undefined {
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? undefined : parseFingerprint(certificate.fingerprint256);
}

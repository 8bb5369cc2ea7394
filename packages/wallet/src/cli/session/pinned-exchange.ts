/**
 * One HTTP exchange with a daemon that has a certificate of its own. The certificate is known by its fingerprint, and
 * nothing is sent before the other side has shown it and proven its key: no authority and no name is asked.
 */
import { request } from 'node:http';
import { connect, type TLSSocket } from 'node:tls';
import { peerFingerprint } from 'svc-base/node';

export interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly millisMax: number;
}

export interface Exchanged {
  readonly status: number;
  readonly text: string;
}

/** Whoever listens has shown another certificate. */
export class OtherCertificate extends Error {
  override readonly name = 'OtherCertificate';
}

export async function exchangePinned(
  url: string,
  fingerprint: string,
  { body, headers = {}, method, millisMax }: Exchange,
): Promise<Exchanged> {
  const signal = AbortSignal.timeout(millisMax);
  const socket = await openPinned(url, fingerprint, signal);
  try {
    return await new Promise((resolve, reject) => {
      const createConnection = (): TLSSocket => socket;
      const options = { method, headers, signal, createConnection };
      const sent = request(url.replace(/^https:/, 'http:'), options, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
        );
      });
      sent.once('error', reject);
      sent.end(body);
    });
  } finally {
    socket.destroy();
  }
}

function openPinned(url: string, expected: string, signal: AbortSignal): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port === '' ? 443 : port),
      rejectUnauthorized: false,
      minVersion: 'TLSv1.3',
    });
    const abort = (): void => void socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      signal.removeEventListener('abort', abort);
      if (peerFingerprint(socket) === expected) return resolve(socket);
      reject(new OtherCertificate(`what listens at ${url} shows another certificate`));
      socket.destroy();
    });
  });
}

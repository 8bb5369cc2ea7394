/**
 * A connection to a remote signer: a socket of this machine, or TCP with TLS where both sides know each other's
 * certificate by its fingerprint. Nothing is sent before the other side has shown the certificate that is expected.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { peerFingerprint } from 'svc-base/node';
import { messageOf } from 'svc-base/pure';
import { FrameSplitter, framed } from 'svc-consensus/shell';
import { SvcError } from 'svc-wasm/base';

export type SignerPlace =
  | { readonly path: string }
  | {
      readonly host: string;
      readonly port: number;
      /** PEM of this node. */
      readonly certificate: string;
      readonly key: string;
      /** Fingerprint of the signer's certificate. */
      readonly fingerprint: string;
    };

export interface LinkHandlers {
  readonly onOpen: () => void;
  readonly onFrame: (frame: Uint8Array) => void;
  /** Called once, also if no connection came about. */
  readonly onClosed: (reason: string) => void;
}

export interface SignerLink {
  send(frame: Uint8Array): void;
  close(): void;
}

/** A signer that takes longer to answer counts as unreachable. */
const CONNECT_MILLIS = 5_000;

export function openSignerLink(place: SignerPlace, handlers: LinkHandlers): SignerLink {
  const splitter = new FrameSplitter();
  let reason = 'the signer has closed the connection';
  const socket = 'path' in place ? connect(place.path) : openTls(place);
  const onOpen = (): void => {
    socket.setTimeout(0);
    const refusal = 'path' in place ? undefined : strangerAt(socket, place.fingerprint);
    if (refusal === undefined) handlers.onOpen();
    else socket.destroy(new Error(refusal));
  };
  socket.setTimeout(CONNECT_MILLIS, () => socket.destroy(new Error('the signer does not answer')));
  socket.once('path' in place ? 'connect' : 'secureConnect', onOpen);
  socket.on('error', (error) => {
    reason = messageOf(error);
  });
  socket.once('close', () => handlers.onClosed(reason));
  socket.on('data', (chunk: Uint8Array) => {
    try {
      for (const frame of splitter.split(chunk)) handlers.onFrame(frame);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      socket.destroy(error);
    }
  });
  return {
    send: (frame) => void socket.write(framed(frame)),
    close: () => socket.destroy(),
  };
}

function openTls({
  host,
  port,
  certificate: cert,
  key,
}: Extract<SignerPlace, { readonly host: string }>): Socket {
  // The fingerprint decides, after the handshake; no authority is needed.
  return connectTls({ host, port, cert, key, rejectUnauthorized: false, minVersion: 'TLSv1.3' });
}

function strangerAt(socket: Socket, expected: string): string | undefined {
  const found = peerFingerprint(socket as Parameters<typeof peerFingerprint>[0]);
  return found === expected
    ? undefined
    : `the signer shows a certificate with the fingerprint ${found ?? 'none'}, expected ${expected}`;
}

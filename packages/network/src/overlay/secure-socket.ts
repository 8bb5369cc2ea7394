/**
 * TLS 1.3 between validators, keyed by the chain: both sides prove who they are afterwards, with their overlay
 * keys, over a secret that only this one connection has.
 *
 * Why TLS with a shared key instead of a second libp2p host: overlay keys are ML-DSA, which peer ids cannot be;
 * there is one stream for each pair, so nothing to multiplex; an unknown client reaches TLS alone before it has shown a
 * member's signature; and no certificate has to be made or checked. The shared key is public. It keeps other
 * chains out, nothing more; secrecy comes from the key exchange, which is the post-quantum hybrid.
 */
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { connect, TLSSocket as ServerSocket, type TLSSocket } from 'node:tls';

const IDENTITY = 'svc-overlay-1';
/** A shared key in TLS 1.3 belongs to a hash; this suite is the one that every OpenSSL offers for it. */
const CIPHER = 'TLS_AES_128_GCM_SHA256';
const EXPORTER_LABEL = 'EXPORTER-svc-overlay-1';
const EXPORTER_BYTES = 32;
const GROUPS = 'X25519MLKEM768';

const SHARED = {
  minVersion: 'TLSv1.3',
  maxVersion: 'TLSv1.3',
  ciphers: CIPHER,
  ecdhCurve: GROUPS,
} as const;

function sharedKey(chainId: Uint8Array): Buffer {
  return createHash('sha256').update(IDENTITY).update(chainId).digest();
}

/** Encrypts a connection that this side opened. */
export function secureClient(socket: Socket, chainId: Uint8Array): TLSSocket {
  const psk = sharedKey(chainId);
  return connect({
    ...SHARED,
    socket,
    pskCallback: () => ({ psk, identity: IDENTITY }),
    checkServerIdentity: () => undefined,
  });
}

/** Encrypts a connection that came in. */
export function secureServer(socket: Socket, chainId: Uint8Array): TLSSocket {
  const psk = sharedKey(chainId);
  const options = {
    ...SHARED,
    isServer: true,
    pskCallback: (_: unknown, identity: string) => (identity === IDENTITY ? psk : null),
  };
  return new ServerSocket(socket, options);
}

/** What only the two ends of this connection know; bound into both signatures. */
export function channelBinding(socket: TLSSocket): Uint8Array {
  const exported = socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.alloc(0));
  return new Uint8Array(exported);
}

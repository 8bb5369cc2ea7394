/**
 * How two validators prove who they are, inside TLS: the side that was called sends a challenge; the caller
 * answers with its key and signature; only then does the other sign. Both sign both ids, both keys, both nonces,
 * the chain and the secret of the connection, each in its own role.
 */
import { concatBytes, fromHex, Reader, SvcError, toHex, Writer } from 'svc-wasm/base';

export const HANDSHAKE = { challenge: 1, hello: 2, welcome: 3 } as const;

const VERSION = 1;
const ID_BYTES = 48;
const NONCE_BYTES = 32;
const PUBLIC_KEY_BYTES = 1_952;
const SIGNATURE_BYTES = 3_309;

export const HANDSHAKE_LIMITS: Readonly<Record<number, number>> = {
  [HANDSHAKE.challenge]: 1 + NONCE_BYTES,
  [HANDSHAKE.hello]: 1 + 2 * ID_BYTES + NONCE_BYTES + PUBLIC_KEY_BYTES + SIGNATURE_BYTES,
  [HANDSHAKE.welcome]: PUBLIC_KEY_BYTES + SIGNATURE_BYTES,
};

/** What both sides sign. */
export interface Transcript {
  readonly chainId: Uint8Array;
  readonly callerId: string;
  readonly calledId: string;
  readonly callerKeyHash: string;
  readonly calledKeyHash: string;
  readonly callerNonce: Uint8Array;
  readonly calledNonce: Uint8Array;
  readonly binding: Uint8Array;
}

export const ROLES = { caller: 1, called: 2, record: 3 } as const;

export function transcriptBytes(role: 'caller' | 'called', transcript: Transcript): Uint8Array {
  const hex = (text: string): Uint8Array => fromHex(text, 'id', ID_BYTES);
  return concatBytes(
    Uint8Array.of(ROLES[role]),
    transcript.chainId,
    hex(transcript.callerId),
    hex(transcript.calledId),
    hex(transcript.callerKeyHash),
    hex(transcript.calledKeyHash),
    transcript.callerNonce,
    transcript.calledNonce,
    transcript.binding,
  );
}

export function newNonce(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
}

export function encodeChallenge(nonce: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(VERSION), nonce);
}

export function decodeChallenge(bytes: Uint8Array): Uint8Array {
  const reader = new Reader(bytes, 'challenge');
  expectVersion(reader.u8());
  const nonce = reader.raw(NONCE_BYTES);
  reader.end();
  return nonce;
}

export interface CallerHello {
  readonly callerId: string;
  readonly calledId: string;
  readonly nonce: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

export function encodeCallerHello(hello: CallerHello): Uint8Array {
  return new Writer(HANDSHAKE_LIMITS[HANDSHAKE.hello])
    .u8(VERSION)
    .raw(fromHex(hello.callerId, 'callerId', ID_BYTES))
    .raw(fromHex(hello.calledId, 'calledId', ID_BYTES))
    .raw(hello.nonce)
    .raw(hello.publicKey)
    .raw(hello.signature)
    .finish();
}

export function decodeCallerHello(bytes: Uint8Array): CallerHello {
  const reader = new Reader(bytes, 'hello');
  expectVersion(reader.u8());
  const hello = {
    callerId: toHex(reader.raw(ID_BYTES)),
    calledId: toHex(reader.raw(ID_BYTES)),
    nonce: reader.raw(NONCE_BYTES),
    publicKey: reader.raw(PUBLIC_KEY_BYTES),
    signature: reader.raw(SIGNATURE_BYTES),
  };
  reader.end();
  return hello;
}

export interface Welcome {
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

export function encodeWelcome({ publicKey, signature }: Welcome): Uint8Array {
  return concatBytes(publicKey, signature);
}

export function decodeWelcome(bytes: Uint8Array): Welcome {
  const reader = new Reader(bytes, 'welcome');
  const publicKey = reader.raw(PUBLIC_KEY_BYTES);
  const signature = reader.raw(SIGNATURE_BYTES);
  reader.end();
  return { publicKey, signature };
}

function expectVersion(version: number): void {
  if (version === VERSION) return;
  throw new SvcError('unsupported_version', `expected version ${VERSION}, found ${version}`);
}

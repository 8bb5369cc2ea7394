/**
 * A consensus key in memory. Votes and proposals are signed through the signer, which alone decides whether;
 * operations, such as heartbeats, are signed here, in a context of their own.
 */
import { type MessageKind, signatureContext } from 'svc-consensus/machine';
import { inspectTransactionBody, operationMessage } from 'svc-wasm';
import { CONTEXTS, concatBytes, contextBytes, toHex, wipe } from 'svc-wasm/base';
import { mlDsa65, sha384 } from 'svc-wasm/kernel';
import { keyHash } from 'svc-wasm/protocol';
import type { SeatKey } from './options.ts';

const HELD = new TextEncoder().encode('svc key held');

export class ValidatorKey implements SeatKey {
  readonly id: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly #secretKey: Uint8Array;

  private constructor(publicKey: Uint8Array, secretKey: Uint8Array) {
    this.publicKey = publicKey;
    this.#secretKey = secretKey;
    this.id = keyHash(publicKey);
  }

  /** The seed of 32 bytes that the key pair is made from; the caller wipes it. */
  static fromSeed(seed: Uint8Array): ValidatorKey {
    const { publicKey, secretKey } = mlDsa65.keygen(seed);
    return new ValidatorKey(publicKey, secretKey);
  }

  get keyHash(): string {
    return toHex(this.id);
  }

  /** Only for the signer: nothing here remembers what was signed before. */
  sign(signedBytes: Uint8Array, kind: MessageKind): Uint8Array {
    const context = contextBytes(signatureContext(kind));
    return mlDsa65.sign(this.#secretKey, signedBytes, { context });
  }

  /** Signs the 48 bytes of an operation message. */
  signOperation(message: Uint8Array): Uint8Array {
    return mlDsa65.sign(this.#secretKey, message, { context: contextBytes(CONTEXTS.operation) });
  }

  /** Signs the operation of a transaction's body if it is a heartbeat; undefined otherwise. */
  signHeartbeat(body: Uint8Array, manifestJson: string): Uint8Array | undefined {
    const { operation } = JSON.parse(inspectTransactionBody(body, manifestJson)) as {
      readonly operation?: { readonly type: string };
    };
    if (operation?.type !== 'heartbeat') return undefined;
    return this.signOperation(operationMessage(body, manifestJson));
  }

  /** Signs the 48 bytes of a spend message. */
  signSpend(message: Uint8Array): Uint8Array {
    return mlDsa65.sign(this.#secretKey, message, { context: contextBytes(CONTEXTS.spend) });
  }

  /** Shows another process on this machine that this one has the key; nothing that counts on a chain is made of it. */
  proveHeld(challenge: Uint8Array): Uint8Array {
    const secret = sha384(concatBytes(HELD, this.#secretKey));
    return sha384(concatBytes(secret, challenge));
  }

  free(): void {
    wipe(this.#secretKey);
  }
}

/**
 * The consensus key of a validator that decides alone. Proposals and prevotes go to the other members of the committee and
 * count among them; where there are none, nobody would ever check their signatures, and they are left empty. Precommits are
 * always signed: they become the certificate that everybody checks. For development networks, whose validators are all in
 * one process.
 */
import type { MessageKind } from 'svc-consensus/machine';
import type { SeatKey, ValidatorKey } from 'svc-consensus/shell';
import { SIGNATURE_BYTES } from 'svc-wasm/base';

const EMPTY_SIGNATURE = new Uint8Array(SIGNATURE_BYTES);

export class LoneKey implements SeatKey {
  readonly #key: ValidatorKey;
  readonly #isAlone: () => boolean;

  /** `isAlone` tells whether the committee in progress has one member. */
  constructor(key: ValidatorKey, isAlone: () => boolean) {
    this.#key = key;
    this.#isAlone = isAlone;
  }

  get id(): Uint8Array {
    return this.#key.id;
  }

  get publicKey(): Uint8Array {
    return this.#key.publicKey;
  }

  get keyHash(): string {
    return this.#key.keyHash;
  }

  sign(signedBytes: Uint8Array, kind: MessageKind): Uint8Array {
    if (kind !== 'precommit' && this.#isAlone()) return EMPTY_SIGNATURE;
    return this.#key.sign(signedBytes, kind);
  }

  signHeartbeat(body: Uint8Array, manifestJson: string): Uint8Array | undefined {
    return this.#key.signHeartbeat(body, manifestJson);
  }

  proveHeld(challenge: Uint8Array): Uint8Array {
    return this.#key.proveHeld(challenge);
  }
}

/**
 * Checks the signatures of one chain's transactions and consensus messages, on whatever thread it is used. A refusal is
 * answered; a fault of the kernel is thrown.
 */
import { Verifier } from 'svc-consensus/machine';
import { isRefusal, SvcError } from 'svc-wasm/base';
import { checkTransactionBytes, parseManifest, type VerifyRequest } from 'svc-wasm/protocol';
import type { JobKind, SignatureRefusal } from './thread-messages.ts';

type Manifest = ReturnType<typeof parseManifest>;

export class SignatureChecker {
  readonly #manifest: Manifest;
  readonly #verifier: Verifier;

  constructor(manifestJson: string) {
    this.#manifest = parseManifest(manifestJson);
    this.#verifier = new Verifier(this.#manifest.chainId);
  }

  /** Learns a validator set, whose members' messages can then be checked. */
  learnSet(encoded: Uint8Array): void {
    this.#verifier.learnSet(encoded);
  }

  /** Null if it holds. The parts are those that a job of this kind travels in. */
  check(kind: JobKind, parts: readonly Uint8Array[]): SignatureRefusal | null {
    if (kind === 'messages') return this.checkMessage(parts[0] as Uint8Array);
    const [wire, previousOutputs, owner, registeredKeys] = parts as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    return this.checkTransaction({
      wire,
      previousOutputs,
      owner: owner.length === 0 ? null : owner,
      registeredKeys,
    });
  }

  checkTransaction(request: VerifyRequest): SignatureRefusal | null {
    const error = checkTransactionBytes(request, this.#manifest);
    if (error === null) return null;
    if (!isRefusal(error)) throw error;
    const { code, message, path } = error;
    return { code, message, ...(path === undefined ? {} : { path }) };
  }

  checkMessage(message: Uint8Array): SignatureRefusal | null {
    const verdict = this.#verifier.verify(message);
    if (verdict.holds) return null;
    const error = new SvcError(verdict.code, 'the signatures do not hold');
    if (!isRefusal(error)) throw error;
    return { code: error.code, message: error.message };
  }
}

/**
 * The checks of a worker in the thread of the test, a turn later, as a reply would come.
 */
import { checkTransactionBytes, type Manifest, type VerifyRequest } from 'svc-wasm/protocol';
import type { SignatureRefusal } from '../../../src/workers/thread-messages.ts';

export class DirectChecks {
  readonly #manifest: Manifest;

  constructor(manifest: Manifest) {
    this.#manifest = manifest;
  }

  hasRoom(): boolean {
    return true;
  }

  async room(): Promise<void> {}

  async checkTransaction(request: VerifyRequest): Promise<SignatureRefusal | null> {
    await new Promise((resolve) => setImmediate(resolve));
    const error = checkTransactionBytes(request, this.#manifest);
    if (error === null) return null;
    const { code, message, path } = error;
    return { code, message, ...(path === undefined ? {} : { path }) };
  }
}

/**
 * Checks signatures on the thread that asks, for development networks in memory: starting a thread takes longer than a test,
 * and sending it one signature longer than checking it. A node that others can reach uses `signature-workers.ts`.
 */
import type { SignatureVerdict } from 'svc-consensus/machine';
import type { VerifyRequest } from 'svc-wasm/protocol';
import { SignatureChecker } from './signature-checker.ts';
import type { SignatureChecks } from './signature-checks.ts';
import type { SignatureRefusal } from './thread-messages.ts';

export class InlineSignatures implements SignatureChecks {
  readonly waiting = 0;
  readonly #checker: SignatureChecker;

  constructor(manifestJson: string) {
    this.#checker = new SignatureChecker(manifestJson);
  }

  hasRoom(): boolean {
    return true;
  }

  async room(): Promise<void> {}

  async checkTransaction(request: VerifyRequest): Promise<SignatureRefusal | null> {
    return this.#checker.checkTransaction(request);
  }

  async checkMessages(messages: readonly Uint8Array[]): Promise<SignatureVerdict[]> {
    return messages.map((message) => {
      const refusal = this.#checker.checkMessage(message);
      return refusal === null ? { holds: true } : { holds: false, code: refusal.code };
    });
  }

  learnSet(encoded: Uint8Array): void {
    this.#checker.learnSet(encoded);
  }

  async close(): Promise<void> {}
}

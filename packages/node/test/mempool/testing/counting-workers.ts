/** Checks that are counted, and that a test can hold up. */
import type { VerifyRequest } from 'svc-wasm/protocol';
import type { MempoolPorts } from '../../../src/mempool/transaction-pool.ts';
import type { Priority } from '../../../src/workers/job-queue.ts';

export class CountingWorkers {
  readonly #workers: MempoolPorts['workers'];
  checks = 0;
  isFull = false;
  /** Awaited after each check. */
  gate: Promise<void> = Promise.resolve();

  constructor(workers: MempoolPorts['workers']) {
    this.#workers = workers;
  }

  hasRoom(priority: Priority): boolean {
    return !this.isFull && this.#workers.hasRoom(priority);
  }

  room(priority: Priority): Promise<void> {
    return this.#workers.room(priority);
  }

  async checkTransaction(request: VerifyRequest, priority: Priority) {
    this.checks++;
    const refusal = await this.#workers.checkTransaction(request, priority);
    await this.gate;
    return refusal;
  }
}

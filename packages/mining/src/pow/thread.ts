/**
 * A worker thread that answers orders one after another. If it dies, all pending and later orders fail: its owner
 * starts another.
 */
import { Worker } from 'node:worker_threads';

export interface ThreadRequest<Order> {
  readonly number: number;
  readonly order: Order;
}

export type ThreadAnswer =
  | { readonly number: number; readonly answer: unknown }
  | { readonly number: number; readonly failure: string };

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

export class Thread<Order> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  #end: Error | undefined;

  constructor(script: URL, workerData: unknown) {
    this.#worker = new Worker(script, { workerData });
    this.#worker.unref();
    this.#worker.on('message', (answer: ThreadAnswer) => this.#settle(answer));
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the thread has ended')));
  }

  get isAlive(): boolean {
    return this.#end === undefined;
  }

  ask<Answer>(order: Order): Promise<Answer> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const number = this.#next++;
    const request: ThreadRequest<Order> = { number, order };
    return new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    this.#fail(new Error('the thread was stopped'));
    await this.#worker.terminate();
  }

  #settle(answer: ThreadAnswer): void {
    const waiting = this.#waiting.get(answer.number);
    this.#waiting.delete(answer.number);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ('failure' in answer) waiting?.reject(new Error(answer.failure));
    else waiting?.resolve(answer.answer as never);
  }

  #fail(error: Error): void {
    this.#end ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#end);
    this.#waiting.clear();
  }
}

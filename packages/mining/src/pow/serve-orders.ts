/**
 * The other side of `thread.ts`: answers every order that the owner of this worker thread sends.
 */
import { parentPort } from 'node:worker_threads';
import type { ThreadAnswer, ThreadRequest } from './thread.ts';

export function serveOrders<Order>(obey: (order: Order) => unknown): void {
  parentPort?.on('message', ({ number, order }: ThreadRequest<Order>) => {
    void answerTo(number, () => obey(order)).then((answer) => parentPort?.postMessage(answer));
  });
}

/** An order may be answered later: its promise is awaited, and later orders are accepted meanwhile. */
async function answerTo(number: number, obey: () => unknown): Promise<ThreadAnswer> {
  try {
    return { number, answer: await obey() };
  } catch (error) {
    return { number, failure: error instanceof Error ? error.message : String(error) };
  }
}

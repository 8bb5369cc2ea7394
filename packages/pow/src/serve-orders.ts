/**
 * The other side of `thread.ts`: answers every order that the owner of this worker thread sends.
 */
import { parentPort } from 'node:worker_threads';
import type { ThreadAnswer, ThreadRequest } from './thread.ts';

export function serveOrders<Order>(obey: (order: Order) => unknown): void {
  parentPort?.on('message', ({ number, order }: ThreadRequest<Order>) => {
    parentPort?.postMessage(answerTo(number, () => obey(order)));
  });
}

function answerTo(number: number, obey: () => unknown): ThreadAnswer {
  try {
    return { number, answer: obey() };
  } catch (error) {
    return { number, failure: error instanceof Error ? error.message : String(error) };
  }
}

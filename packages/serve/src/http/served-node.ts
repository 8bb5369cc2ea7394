/**
 * The node that the HTTP API answers from. A development network keeps its API while it replaces its node: requests that
 * come in between wait for the next node, and a node is left once its last request is answered. It opens and closes
 * nothing of a node.
 */
import type { RoutePorts } from './routes/handler.ts';

export class ServedNode {
  #ports: RoutePorts | undefined;
  #last: RoutePorts | undefined;
  #next = Promise.withResolvers<void>();
  #answering = 0;
  #onIdle: (() => void) | undefined;

  /** What was served last, also after it was left. */
  get last(): RoutePorts {
    if (this.#last === undefined) throw new Error('no node has been served yet');
    return this.#last;
  }

  enter(ports: RoutePorts): void {
    this.#ports = ports;
    this.#last = ports;
    this.#next.resolve();
  }

  /** Holds back the requests to come; resolves when the earlier ones are answered, or after so many milliseconds. */
  async leave(millisMax: number): Promise<void> {
    if (this.#ports === undefined) return;
    this.#ports = undefined;
    this.#next = Promise.withResolvers();
    if (this.#answering === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    const timer = setTimeout(resolve, millisMax);
    await promise;
    clearTimeout(timer);
    this.#onIdle = undefined;
  }

  /** What a request is answered from: the node that is served, or the next one. It is held until `release`. */
  take(): RoutePorts | Promise<RoutePorts> {
    if (this.#ports === undefined) return this.#next.promise.then(() => this.take());
    this.#answering++;
    return this.#ports;
  }

  /** Must be called once for each `take`, when the request is answered. */
  release(): void {
    this.#answering--;
    if (this.#answering === 0) this.#onIdle?.();
  }
}

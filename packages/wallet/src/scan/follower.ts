/**
 * Keeps the scanner running: after each finalized cut, after each reconnect, and every few seconds in case
 * the socket is silent.
 */
import { type Clock, sleep } from 'svc-base/pure';
import type { NodeLink } from '../node/node-link.ts';
import type { Scanner } from './scanner.ts';

const POLL_MILLIS = 3_000;
const RETRY_MILLIS = 1_000;

export interface FollowerPorts {
  readonly node: NodeLink;
  readonly scanner: Scanner;
  readonly clock: Clock;
  /** Called after the state has caught up. */
  afterCatchUp(): Promise<void>;
}

export class Follower {
  readonly #ports: FollowerPorts;
  readonly #ending = new AbortController();
  #wake: () => void = () => {};
  #running: Promise<unknown> = Promise.resolve();

  constructor(ports: FollowerPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#running = Promise.all([this.#listenForCuts(), this.#keepScanning()]);
  }

  /** Makes the scanner catch up at once instead of at its next turn. */
  nudge(): void {
    this.#wake();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#wake();
    await this.#running;
  }

  async #listenForCuts(): Promise<void> {
    const { node } = this.#ports;
    for await (const event of node.client.cutEvents({ signal: this.#ending.signal })) {
      if (event.type === 'checkpoint') node.learnHeight(event.cut.height);
      if (event.type === 'cut_finalized') node.learnHeight(event.data.cut.height);
      this.#wake();
    }
  }

  async #keepScanning(): Promise<void> {
    const { afterCatchUp, clock, scanner } = this.#ports;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      let wait = POLL_MILLIS;
      try {
        await scanner.catchUp();
        await afterCatchUp();
      } catch (error) {
        if (signal.aborted) return;
        scanner.failed(error);
        wait = RETRY_MILLIS;
      }
      await sleep(clock, wait, AbortSignal.any([signal, woken.signal]));
    }
  }
}

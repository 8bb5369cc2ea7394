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
  /** Called after an error of the node; has another one asked where this one is not believed. */
  afterError(error: unknown): Promise<void>;
}

export class Follower {
  readonly #ports: FollowerPorts;
  readonly #ending = new AbortController();
  #wake: () => void = () => {};
  #listening = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #part: Promise<boolean> | undefined;

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

  /** Hears of cuts from the node that is used now. */
  listenAnew(): void {
    this.#listening.abort();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#listening.abort();
    this.#wake();
    await this.#running;
    await this.#part?.catch(() => {});
  }

  /**
   * Reads the past once more if that is asked for, until the next cut; returns how long to wait for that then. A part for
   * which the node takes its time goes on meanwhile. One is begun at each turn, however fast the cuts come.
   */
  async #readAgainUntil(woken: AbortSignal): Promise<number> {
    const { afterError, clock, scanner } = this.#ports;
    const end = clock.now() + POLL_MILLIS;
    const stop = AbortSignal.any([woken, this.#ending.signal]);
    if (this.#ending.signal.aborted) return 0;
    try {
      do {
        const hasMore = await this.#unlessStopped(this.#nextPart(), stop);
        if (hasMore === false) return Math.max(0, end - clock.now());
      } while (!stop.aborted && clock.now() < end);
      return 0;
    } catch (error) {
      scanner.rescanFailed(error);
      await afterError(error);
      return RETRY_MILLIS;
    }
  }

  /** The part that is being read, or the next one. One that fails while no caller waits for it is read anew. */
  #nextPart(): Promise<boolean> {
    if (this.#part !== undefined) return this.#part;
    const part = this.#ports.scanner.readPartAgain();
    const end = (): void => {
      this.#part = undefined;
    };
    part.then(end, end);
    this.#part = part;
    return part;
  }

  async #unlessStopped<T>(work: Promise<T>, stop: AbortSignal): Promise<T | undefined> {
    const raced = new AbortController();
    const signal = AbortSignal.any([stop, raced.signal]);
    try {
      return await Promise.race([
        work,
        sleep(this.#ports.clock, POLL_MILLIS, signal).then(() => undefined),
      ]);
    } finally {
      raced.abort();
    }
  }

  async #listenForCuts(): Promise<void> {
    const { node } = this.#ports;
    do {
      this.#listening = new AbortController();
      const { signal } = this.#listening;
      for await (const event of node.client.cutEvents({ signal })) {
        if (signal.aborted) break;
        if (event.type === 'checkpoint') node.learnHeight(event.cut.height);
        if (event.type === 'cut_finalized') node.learnHeight(event.data.cut.height);
        this.#wake();
      }
    } while (this.#listening.signal.aborted && !this.#ending.signal.aborted);
  }

  async #keepScanning(): Promise<void> {
    const { afterCatchUp, afterError, clock, scanner } = this.#ports;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      let wait: number;
      try {
        await scanner.catchUp();
        await afterCatchUp();
        wait = await this.#readAgainUntil(woken.signal);
      } catch (error) {
        if (signal.aborted) return;
        scanner.failed(error);
        await afterError(error);
        wait = RETRY_MILLIS;
      }
      await sleep(clock, wait, AbortSignal.any([signal, woken.signal]));
    }
  }
}

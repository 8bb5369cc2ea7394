/**
 * Sends frames no faster than the stricter of the two kinds of servers allows, and a ping when the line is quiet, so
 * that a connection that has died is noticed.
 */
import type { SocketPorts } from './reconnect.ts';

const BURST = 8;
const PACE_MILLIS = 125;
const QUIET_MILLIS = 20_000;

export class FramePacer {
  readonly #send: (frame: object) => void;
  readonly #ports: SocketPorts;
  readonly #waiting: object[] = [];
  readonly #ending = new AbortController();
  #credit = BURST;

  constructor(send: (frame: object) => void, ports: SocketPorts) {
    this.#send = send;
    this.#ports = ports;
    void this.#sendWaiting();
  }

  send(frame: object): void {
    if (this.#credit > 0 && this.#waiting.length === 0) {
      this.#credit--;
      this.#send(frame);
    } else {
      this.#waiting.push(frame);
    }
  }

  close(): void {
    this.#ending.abort();
    this.#waiting.length = 0;
  }

  async #sendWaiting(): Promise<void> {
    const { signal } = this.#ending;
    for (let quiet = 0; !signal.aborted; ) {
      await this.#ports.sleep(PACE_MILLIS, signal);
      if (signal.aborted) return;
      const next = this.#waiting.shift();
      quiet = next === undefined ? quiet + PACE_MILLIS : 0;
      if (next !== undefined) this.#send(next);
      else this.#credit = Math.min(BURST, this.#credit + 1);
      if (quiet >= QUIET_MILLIS) {
        quiet = 0;
        this.#send({ type: 'ping', data: { id: 'quiet' } });
      }
    }
  }
}

/**
 * What a connection has to send. As long as the client keeps up, a frame goes to the socket at once, and
 * those that follow it at the same moment leave in one write. When it does not, frames wait here within limits; the caller learns when one does not fit.
 */
import type { Writable } from 'node:stream';

export const QUEUE_BYTES_MAX = 256 * 1_024;
export const QUEUE_FRAMES_MAX = 256;

export class Outgoing {
  /** Counts moments: everything that happens before the next one does so in the same moment. */
  static #moment = 0;
  static #isEnding = false;
  /** Those that have sent more than one frame in this moment. */
  static #gathering: Outgoing[] = [];

  /** One call for all connections: an event goes to thousands of them. */
  static readonly #endMoment = (): void => {
    Outgoing.#isEnding = false;
    Outgoing.#moment++;
    const gathering = Outgoing.#gathering;
    Outgoing.#gathering = [];
    for (const outgoing of gathering) outgoing.#socket.uncork();
  };

  readonly #socket: Writable;
  readonly #onRoom: () => void;
  readonly #waiting: Buffer[] = [];
  #bytes = 0;
  #full = false;
  /** The moment of the last frame, and of the last that was not the first. */
  #sentAt = -1;
  #gatheredAt = -1;

  /** `onRoom` is called each time that a client which did not keep up has caught up. */
  constructor(socket: Writable, onRoom: () => void) {
    this.#socket = socket;
    this.#onRoom = onRoom;
    socket.on('drain', () => this.#drain());
  }

  /** Whether the next frame goes to the socket at once. */
  get ready(): boolean {
    return !this.#full;
  }

  /** Sends a frame that must not be lost; the caller bounds how many of them there are. */
  send(frame: Buffer): void {
    if (this.#full) {
      this.#wait(frame);
      return;
    }
    if (this.#sentAt === Outgoing.#moment) this.#gather();
    else this.#beginMoment();
    this.#full = !this.#socket.write(frame);
  }

  #beginMoment(): void {
    this.#sentAt = Outgoing.#moment;
    if (Outgoing.#isEnding) return;
    Outgoing.#isEnding = true;
    process.nextTick(Outgoing.#endMoment);
  }

  /** Has the socket hold what comes until everything that happens at this moment has happened. */
  #gather(): void {
    if (this.#gatheredAt === Outgoing.#moment) return;
    this.#gatheredAt = Outgoing.#moment;
    this.#socket.cork();
    Outgoing.#gathering.push(this);
  }

  /** Sends a frame, or says that it was dropped because too much waits. */
  offer(frame: Buffer): boolean {
    const fits =
      this.#waiting.length < QUEUE_FRAMES_MAX && this.#bytes + frame.length <= QUEUE_BYTES_MAX;
    if (this.#full && !fits) return false;
    this.send(frame);
    return true;
  }

  clear(): void {
    this.#waiting.length = 0;
    this.#bytes = 0;
  }

  #wait(frame: Buffer): void {
    this.#waiting.push(frame);
    this.#bytes += frame.length;
  }

  #drain(): void {
    this.#full = false;
    let sent = 0;
    while (!this.#full && sent < this.#waiting.length) {
      const frame = this.#waiting[sent++] as Buffer;
      this.#bytes -= frame.length;
      this.#full = !this.#socket.write(frame);
    }
    this.#waiting.splice(0, sent);
    if (!this.#full) this.#onRoom();
  }
}

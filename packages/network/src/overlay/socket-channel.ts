/**
 * Frames over one TLS socket, with a budget for reading and a bound on the output queue.
 */
import type { TLSSocket } from 'node:tls';
import { asError, type Clock } from 'svc-base/pure';
import type { Budget } from '../wire/budget.ts';
import { encodeFrame, type FrameLimits, FrameParser } from '../wire/frame-parser.ts';

export interface SocketChannelOptions {
  readonly limits: FrameLimits;
  readonly clock: Clock;
  readonly budget: Budget;
  readonly onFrame: (kind: number, payload: Uint8Array) => void;
  /** Called once, with what ended the channel if it was not the other side. */
  readonly onClose: (error: Error | undefined) => void;
}

/** The class of a frame: of this validator, or forwarded for others with or without signatures. */
export type FrameOwner = 'own' | 'signed' | 'unsigned';

/**
 * The most bytes in the output queue. Further frames are dropped: the machine repairs losses, and old votes are worth
 * little. Forwarded frames leave space for more important ones.
 */
export const QUEUED_BYTES_MAX: Readonly<Record<FrameOwner, number>> = {
  own: 8_388_608,
  signed: 6_291_456,
  unsigned: 4_194_304,
};

export class SocketChannel {
  readonly socket: TLSSocket;
  readonly #options: SocketChannelOptions;
  readonly #parser: FrameParser;
  #budget: Budget;
  #isClosed = false;
  #cancelWait: (() => void) | undefined;

  constructor(socket: TLSSocket, options: SocketChannelOptions) {
    this.socket = socket;
    this.#options = options;
    this.#parser = new FrameParser(options.limits);
    this.#budget = options.budget;
    socket.on('data', (bytes: Buffer) => {
      this.#parser.push(bytes);
      this.#handleFrames();
    });
    socket.once('close', () => this.close());
    socket.on('error', (error) => this.close(error));
  }

  get isOpen(): boolean {
    return !this.#isClosed;
  }

  useLimits(limits: FrameLimits): void {
    this.#parser.useLimits(limits);
  }

  /** Switches to another budget for reading; the debt of the old one is paid first. */
  useBudget(budget: Budget): void {
    this.#budget = budget;
    this.#wait(budget.waitMillis);
  }

  /** Queues a frame; false if it was dropped. */
  send(kind: number, payload: Uint8Array, owner: FrameOwner = 'own'): boolean {
    if (this.#isClosed || this.socket.writableLength > QUEUED_BYTES_MAX[owner]) return false;
    this.socket.write(encodeFrame(kind, payload));
    return true;
  }

  close(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelWait?.();
    this.socket.destroy();
    this.#options.onClose(error);
  }

  #handleFrames(): void {
    try {
      while (!this.#isClosed && this.#cancelWait === undefined) {
        const frame = this.#parser.next();
        if (frame === undefined) return;
        this.#wait(this.#budget.charge(frame.kind, frame.payload.length));
        this.#options.onFrame(frame.kind, frame.payload);
      }
    } catch (error) {
      this.close(asError(error));
    }
  }

  #wait(millis: number): void {
    if (millis === 0) return;
    this.#cancelWait?.();
    this.socket.pause();
    this.#cancelWait = this.#options.clock.after(millis, () => {
      this.#cancelWait = undefined;
      this.socket.resume();
      this.#handleFrames();
    });
  }
}

/**
 * Frames over one libp2p stream. Frames are handled one after another, in order; while one is being handled
 * or the budget is spent, the stream is paused, so that a fast sender fills its own window and not our memory.
 */
import type { Stream } from '@libp2p/interface';
import { afterRunning, asError, type Clock } from 'svc-base/pure';
import { concatBytes } from 'svc-wasm/base';
import type { Budget } from './budget.ts';
import { encodeFrame, type FrameLimits, FrameParser, frameHead } from './frame-parser.ts';

export interface ChannelOptions {
  readonly limits: FrameLimits;
  readonly clock: Clock;
  readonly budget?: Budget;
  readonly onFrame: (kind: number, payload: Uint8Array) => void | Promise<void>;
  /** Called when bytes came, whether or not they complete a frame. */
  readonly onBytes?: () => void;
  /** Called once, with the fault or error that ended the channel if there was one. */
  readonly onClose: (error: unknown) => void;
}

/** A begun frame must be complete within this time; time without the processor does not count. */
const FRAME_MILLIS_MAX = 20_000;
/** A peer that leaves this much unread has its stream reset. */
const WRITE_BYTES_MAX = 8_388_608;
const CLOSE_MILLIS_MAX = 5_000;
/** Frames that are sent together; what the muxer sends in one message. */
const GATHERED_BYTES_MAX = 65_536;

/** The other side cannot be answered any more; nothing is proven against it. */
export class ChannelGoneError extends Error {
  override readonly name = 'ChannelGoneError';
}

export class FrameChannel {
  readonly #stream: Stream;
  readonly #options: ChannelOptions;
  readonly #parser: FrameParser;
  #isBusy = false;
  #isClosed = false;
  /** Set when the peer sends no more; earlier frames are still handled. */
  #isEnding = false;
  #cancelFrameTimer: (() => void) | undefined;
  #cancelWait: (() => void) | undefined;
  /** Frames that go out together at the end of the turn, in parts. */
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  readonly #gone = new AbortController();
  #drain: PromiseWithResolvers<void> | undefined;

  constructor(stream: Stream, options: ChannelOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#parser = new FrameParser(options.limits);
    stream.maxWriteBufferLength = WRITE_BYTES_MAX;
    stream.addEventListener('drain', () => this.#endDrain());
    stream.addEventListener('close', ({ error }) => {
      this.#left();
      if (error === undefined) this.#ended();
      else this.#closed(error);
    });
    stream.addEventListener('end', () => this.#ended());
    stream.addEventListener('message', ({ data }) => {
      options.onBytes?.();
      // Parts of a list are put together once, in the frame that they belong to.
      for (const part of data instanceof Uint8Array ? [data] : data) {
        this.#parser.push(part);
        this.#handleFrames();
      }
    });
    const waitMillis = options.budget?.waitMillis ?? 0;
    if (waitMillis > 0) this.#waitFor(undefined, waitMillis);
    // A stream can be reset before it has a listener.
    if (stream.status === 'reset' || stream.status === 'aborted')
      queueMicrotask(() => this.#closed(new Error('the stream was reset')));
  }

  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /** Aborted when nothing can be sent any more; what came before may still be handled. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Bytes that wait for the peer to read. */
  get queuedBytes(): number {
    return this.#stream.writeBufferLength;
  }

  /** Queues a frame; false if the channel is closed. */
  send(kind: number, payload: Uint8Array): boolean {
    this.#sendGathered();
    return this.#sendBytes(encodeFrame(kind, payload));
  }

  /**
   * Queues a frame whose payload is given in parts, together with others of the same turn of the event loop: each
   * message of the muxer costs far more than a small frame. False if the channel is closed.
   */
  sendSoon(kind: number, parts: readonly Uint8Array[]): boolean {
    if (this.#isClosed) return false;
    const head = frameHead(kind, bytesOf(parts));
    const bytes = head.length + bytesOf(parts);
    if (this.#gatheredBytes + bytes > GATHERED_BYTES_MAX) this.#sendGathered();
    if (this.#gatheredBytes === 0) setImmediate(() => this.#sendGathered());
    this.#gathered.push(head, ...parts);
    this.#gatheredBytes += bytes;
    return !this.#isClosed;
  }

  /**
   * Undefined if the peer has taken what was sent; else resolves when it has. Throws or rejects if nothing can be sent any
   * more, or if it takes too long. The stream's own `onDrain` waits only the first time that it is called.
   */
  drained(timeoutMillis: number): Promise<void> | undefined {
    this.#gone.signal.throwIfAborted();
    return this.#stream.writableNeedsDrain ? this.#waitForDrain(timeoutMillis) : undefined;
  }

  /** Ends the channel after what was sent. */
  close(): void {
    this.#closed(undefined);
  }

  /** Ends the channel at once. */
  abort(error: Error): void {
    this.#closed(error);
  }

  async #waitForDrain(timeoutMillis: number): Promise<void> {
    while (this.#stream.writableNeedsDrain) {
      this.#drain ??= Promise.withResolvers<void>();
      const drain = this.#drain;
      const cancel = afterRunning(this.#options.clock, timeoutMillis, () => {
        drain.reject(new Error(`the peer has taken nothing for ${timeoutMillis} ms`));
      });
      try {
        await drain.promise;
      } finally {
        cancel();
      }
      this.#gone.signal.throwIfAborted();
    }
  }

  #sendGathered(): void {
    if (this.#gatheredBytes === 0) return;
    const bytes = concatBytes(...this.#gathered);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#sendBytes(bytes);
  }

  #sendBytes(bytes: Uint8Array): boolean {
    if (this.#isClosed) return false;
    try {
      this.#stream.send(bytes);
      return true;
    } catch (error) {
      this.#closed(error);
      return false;
    }
  }

  #handleFrames(): void {
    try {
      while (!this.#isBusy && !this.#isClosed) {
        const frame = this.#parser.next();
        if (frame === undefined) break;
        this.#endFrameTimer();
        const { kind, payload } = frame;
        const waitMillis = this.#options.budget?.charge(kind, payload.length) ?? 0;
        const handling = this.#options.onFrame(kind, payload);
        if (handling instanceof Promise) this.#waitFor(handling, waitMillis);
        else if (waitMillis > 0) this.#waitFor(undefined, waitMillis);
      }
      this.#watchFrame();
      if (this.#isEnding && !this.#isBusy) this.#closed(undefined);
    } catch (error) {
      this.#closed(error);
    }
  }

  /** Pauses the stream until the frame is handled and the budget allows more. */
  #waitFor(handling: Promise<void> | undefined, waitMillis: number): void {
    this.#isBusy = true;
    this.#pause(true);
    const goOn = (): void => {
      this.#isBusy = false;
      try {
        this.#pause(false);
      } catch (error) {
        this.#closed(error);
      }
      this.#handleFrames();
    };
    const wait = (): void => {
      if (this.#isClosed) return;
      if (waitMillis === 0) goOn();
      else this.#cancelWait = this.#options.clock.after(waitMillis, goOn);
    };
    if (handling === undefined) wait();
    else handling.then(wait, (error: unknown) => this.#closed(error));
  }

  #watchFrame(): void {
    if (this.#isBusy || !this.#parser.isPartial || this.#isClosed) {
      this.#endFrameTimer();
      return;
    }
    this.#cancelFrameTimer ??= afterRunning(this.#options.clock, FRAME_MILLIS_MAX, () => {
      this.#closed(new Error(`a frame was not whole after ${FRAME_MILLIS_MAX} ms`));
    });
  }

  /**
   * Ends the timer of a whole frame. Each frame has its own, since on a busy stream one is always under way.
   */
  #endFrameTimer(): void {
    this.#cancelFrameTimer?.();
    this.#cancelFrameTimer = undefined;
  }

  #pause(isPaused: boolean): void {
    const { readStatus } = this.#stream;
    if (readStatus === 'closed' || readStatus === 'closing') return;
    if (isPaused) this.#stream.pause();
    else this.#stream.resume();
  }

  #left(): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort(new ChannelGoneError('the stream has ended'));
    this.#endDrain();
  }

  #endDrain(): void {
    this.#drain?.resolve();
    this.#drain = undefined;
  }

  #ended(): void {
    this.#isEnding = true;
    this.#handleFrames();
  }

  #closed(error: unknown): void {
    // Answers from before a fault are sent all the same.
    this.#sendGathered();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#left();
    this.#endFrameTimer();
    this.#cancelWait?.();
    if (error === undefined) {
      const signal = AbortSignal.timeout(CLOSE_MILLIS_MAX);
      this.#stream.close({ signal }).catch((failure: Error) => this.#stream.abort(failure));
    } else {
      this.#stream.abort(asError(error));
    }
    this.#options.onClose(error);
  }
}

function bytesOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

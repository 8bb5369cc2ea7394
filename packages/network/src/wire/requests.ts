/**
 * Requests and answers over one stream. The side that opened the stream asks; the other answers each request
 * with any number of frames and an end, in the order of the requests, one at a time.
 */
import type { Stream } from '@libp2p/interface';
import { afterRunning, type Clock } from 'svc-base/pure';
import type { Budget } from './budget.ts';
import { FrameChannel } from './frame-channel.ts';
import type { FrameLimits } from './frame-parser.ts';
import { PeerFault } from './peer-fault.ts';

/** The frame that ends an answer. */
export const END = 0;

const DRAIN_MILLIS_MAX = 30_000;

/** The peer was silent for too long; nothing is proven against it. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

/** How long an answer may take, as time in which this process runs. */
export interface Patience {
  /** The most time without any byte of the answer. */
  readonly silenceMillisMax: number;
  /** The most time from the moment at which the peer could begin with the answer to its end. */
  readonly answerMillisMax: number;
}

interface PendingRequest {
  readonly onFrame: (kind: number, payload: Uint8Array) => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly patience: Patience;
}

export class RequestClient {
  readonly #channel: FrameChannel;
  readonly #clock: Clock;
  readonly #pending: PendingRequest[] = [];
  /** The request whose end is waited for, and how that waiting is cancelled. */
  #awaited: { readonly head: PendingRequest; readonly cancel: () => void } | undefined;
  #cancelSilence: (() => void) | undefined;

  constructor(stream: Stream, limits: FrameLimits, clock: Clock) {
    this.#clock = clock;
    this.#channel = new FrameChannel(stream, {
      limits: { ...limits, [END]: 0 },
      clock,
      onBytes: () => this.#watch(),
      onFrame: (kind, payload) => this.#receive(kind, payload),
      onClose: (error) => this.#failAll(error ?? new SilenceError('the peer closed the stream')),
    });
  }

  get isOpen(): boolean {
    return this.#channel.isOpen;
  }

  /** Resolves at the end of the answer. A fault in the answer, or silence, ends the stream. */
  request(
    kind: number,
    payload: Uint8Array,
    patience: Patience,
    onFrame: (kind: number, payload: Uint8Array) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ onFrame, resolve, reject, patience });
      if (!this.#channel.send(kind, payload))
        this.#failAll(new SilenceError('the stream is closed'));
      if (this.#pending.length === 1) this.#watch();
    });
  }

  close(): void {
    this.#channel.close();
  }

  #receive(kind: number, payload: Uint8Array): void {
    const [head] = this.#pending;
    if (head === undefined) throw new PeerFault('unexpected', 'an answer without a request');
    if (kind === END) {
      this.#pending.shift();
      head.resolve();
    } else {
      head.onFrame(kind, payload);
    }
    this.#watch();
  }

  /** The timeout for silence restarts with every call, the one for the whole answer with its request. */
  #watch(): void {
    this.#cancelSilence?.();
    this.#cancelSilence = undefined;
    const [head] = this.#pending;
    if (this.#awaited?.head !== head) this.#awaitEnd(head);
    if (head !== undefined) this.#cancelSilence = this.#abortAfter(head.patience.silenceMillisMax);
  }

  #awaitEnd(head: PendingRequest | undefined): void {
    this.#awaited?.cancel();
    this.#awaited =
      head === undefined
        ? undefined
        : { head, cancel: this.#abortAfter(head.patience.answerMillisMax) };
  }

  #abortAfter(millis: number): () => void {
    return afterRunning(this.#clock, millis, () => {
      this.#channel.abort(new SilenceError(`no answer, or no end of it, within ${millis} ms`));
    });
  }

  #failAll(error: unknown): void {
    this.#cancelSilence?.();
    this.#awaitEnd(undefined);
    const [head, ...others] = this.#pending.splice(0);
    head?.reject(error);
    const consequence = new SilenceError('the stream ended before the answer');
    for (const { reject } of others) reject(consequence);
  }
}

/**
 * Sends one frame of an answer, whose payload is the parts one after another. Undefined if the next one may follow, else
 * resolves when it may; throws or rejects if the peer cannot be answered any more.
 */
export type Answer = (kind: number, ...parts: readonly Uint8Array[]) => Promise<void> | undefined;

export interface ServeOptions {
  readonly limits: FrameLimits;
  readonly clock: Clock;
  readonly budget: Budget;
  /** Answers one request; a frame is sent when the peer has taken those before it. */
  readonly onRequest: (
    kind: number,
    payload: Uint8Array,
    answer: Answer,
  ) => Promise<void> | undefined;
  readonly onClose: (error: unknown) => void;
}

export function serveRequests(stream: Stream, options: ServeOptions): FrameChannel {
  const { limits, clock, budget, onRequest, onClose } = options;
  const answer: Answer = (kind, ...parts) => {
    channel.sendSoon(kind, parts);
    return channel.drained(DRAIN_MILLIS_MAX);
  };
  const channel: FrameChannel = new FrameChannel(stream, {
    limits,
    clock,
    budget,
    onFrame: async (kind, payload) => {
      await onRequest(kind, payload, answer);
      channel.sendSoon(END, []);
    },
    onClose,
  });
  return channel;
}

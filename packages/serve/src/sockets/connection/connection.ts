/**
 * One open socket: its frames in and out, its rate, its heartbeat, its end. What the frames mean is the
 * handler's business. Frames are written to the network socket as they are, past the sender of `ws`, which
 * would frame them anew for each client; `ws` reads, checks and closes.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from 'svc-base/pure';
import type { WebSocket } from 'ws';
import { FrameRate } from './frame-rate.ts';
import { PING_FRAME, pongFrame } from './frames.ts';
import { Outgoing } from './outgoing.ts';

export const CLOSE_CODES = {
  done: 1_000,
  goingAway: 1_001,
  binary: 1_003,
  policy: 1_008,
} as const;

export interface ConnectionHandler {
  /** A text frame came in. With `retryAfterMillis` it is over the rate, and the handler must refuse it. */
  text(text: string, retryAfterMillis: number | undefined): void;
  /** The client caught up after it had not read for a while. */
  room(): void;
  /** Nothing can be sent any more. */
  closed(): void;
}

/** Where a handler sends to. */
export interface Outlet {
  /** Whether a frame would leave at once. */
  readonly ready: boolean;
  /** Sends an answer. A client that does not read answers is not read from either. */
  reply(frame: Buffer): void;
  /** Sends an event, or says that it was dropped. */
  offer(frame: Buffer): boolean;
  /** Closes once everything that waits has been sent. */
  finish(code: number, reason: string): void;
}

export interface ConnectionOptions {
  readonly webSocket: WebSocket;
  /** The network socket under the WebSocket. */
  readonly socket: Duplex;
  readonly client: string;
  readonly framesPerSecond: number;
  readonly clock: Clock;
}

export class Connection implements Outlet {
  readonly client: string;
  readonly #webSocket: WebSocket;
  readonly #outgoing: Outgoing;
  readonly #rate: FrameRate;
  readonly #clock: Clock;
  #handler: ConnectionHandler | undefined;
  #open = true;
  #heard = true;
  #ending: { readonly code: number; readonly reason: string } | undefined;

  constructor(options: ConnectionOptions) {
    const { webSocket, socket } = options;
    this.client = options.client;
    this.#webSocket = webSocket;
    this.#clock = options.clock;
    this.#rate = new FrameRate(options.framesPerSecond);
    this.#outgoing = new Outgoing(socket, () => this.#hasRoom());
    webSocket.on('message', (data: Buffer, isBinary: boolean) => this.#message(data, isBinary));
    webSocket.on('ping', (data: Buffer) => this.#ping(data));
    webSocket.on('pong', () => void this.#judge());
    webSocket.on('error', () => this.#shut());
    webSocket.on('close', () => this.#shut());
  }

  /** Hands the frames of the client to its handler. */
  serve(handler: ConnectionHandler): void {
    this.#handler = handler;
  }

  get open(): boolean {
    return this.#open;
  }

  get ready(): boolean {
    return this.#open && this.#outgoing.ready;
  }

  reply(frame: Buffer): void {
    if (!this.#open) return;
    this.#outgoing.send(frame);
    if (!this.#outgoing.ready) this.#webSocket.pause();
  }

  offer(frame: Buffer): boolean {
    return this.#open && this.#outgoing.offer(frame);
  }

  finish(code: number, reason: string): void {
    if (this.ready) this.close(code, reason);
    else this.#ending = { code, reason };
  }

  close(code: number, reason: string): void {
    if (!this.#open) return;
    this.#shut();
    this.#webSocket.resume();
    this.#webSocket.close(code, reason);
  }

  terminate(): void {
    this.#shut();
    this.#webSocket.terminate();
  }

  /** Sends a ping; ends the connection if the client has not answered the last one. */
  beat(): void {
    if (!this.#heard) this.terminate();
    this.#heard = false;
    this.offer(PING_FRAME);
  }

  #message(data: Buffer, isBinary: boolean): void {
    if (isBinary) this.close(CLOSE_CODES.binary, 'binary frames are not taken');
    if (!this.#open) return;
    const verdict = this.#judge();
    if (verdict.type === 'broken') return;
    const retryAfterMillis = verdict.type === 'refused' ? verdict.retryAfterMillis : undefined;
    this.#handler?.text(data.toString(), retryAfterMillis);
  }

  #ping(data: Buffer): void {
    if (this.#open && this.#judge().type === 'taken') this.reply(pongFrame(data));
  }

  #judge() {
    this.#heard = true;
    const verdict = this.#rate.judge(this.#clock.now());
    if (verdict.type === 'broken') this.close(CLOSE_CODES.policy, 'too many frames');
    return verdict;
  }

  #hasRoom(): void {
    if (this.#ending !== undefined) this.close(this.#ending.code, this.#ending.reason);
    if (!this.#open) return;
    if (this.#webSocket.isPaused) this.#webSocket.resume();
    this.#handler?.room();
  }

  #shut(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#outgoing.clear();
    this.#handler?.closed();
  }
}

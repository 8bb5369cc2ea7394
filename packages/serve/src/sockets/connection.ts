/**
 * WebSocket frames as bytes that are ready to be written: a frame that many clients get is made once. A
 * server's frames are not masked, so they are the same for all clients.
 */
import type { Duplex, Writable } from 'node:stream';
import type { Clock } from 'svc-base/pure';
import type { WebSocket } from 'ws';

const FINAL = 0x80;
const OPCODES = { text: 1, ping: 9, pong: 10 } as const;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/**
 * WebSocket frames as bytes that are ready to be written: a frame that many clients get is made once. A
 * server's frames are not masked, so they are the same for all clients.
 */
function headerOf(opcode: number, length: number): Buffer {
  if (length < LENGTH_16) return Buffer.of(FINAL | opcode, length);
  if (length <= 0xffff) {
    const header = Buffer.alloc(4);
    header[0] = FINAL | opcode;
    header[1] = LENGTH_16;
    header.writeUInt16BE(length, 2);
    return header;
  }
  const header = Buffer.alloc(10);
  header[0] = FINAL | opcode;
  header[1] = LENGTH_64;
  header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}

/** A text frame of several pieces of UTF-8. */
export function textFrame(...pieces: readonly Buffer[]): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return Buffer.concat([headerOf(OPCODES.text, length), ...pieces]);
}

export function jsonFrame(value: unknown): Buffer {
  return textFrame(Buffer.from(JSON.stringify(value)));
}

const PING_FRAME: Buffer = headerOf(OPCODES.ping, 0);

function pongFrame(data: Buffer): Buffer {
  return Buffer.concat([headerOf(OPCODES.pong, data.length), data]);
}

const WINDOW_MILLIS = 1_000;

type FrameVerdict =
  | { readonly type: 'taken' | 'broken' }
  | { readonly type: 'refused'; readonly retryAfterMillis: number };

const TAKEN: FrameVerdict = { type: 'taken' };
const BROKEN: FrameVerdict = { type: 'broken' };

/**
 * How many frames a client may send in a second. What goes beyond is refused; a client that sends as much
 * again is disconnected.
 */
class FrameRate {
  readonly #most: number;
  #since = Number.NEGATIVE_INFINITY;
  #frames = 0;

  constructor(framesPerSecond: number) {
    this.#most = framesPerSecond;
  }

  judge(now: number): FrameVerdict {
    if (now - this.#since >= WINDOW_MILLIS || now < this.#since) {
      this.#since = now;
      this.#frames = 0;
    }
    this.#frames++;
    if (this.#frames <= this.#most) return TAKEN;
    if (this.#frames > 2 * this.#most) return BROKEN;
    return { type: 'refused', retryAfterMillis: this.#since + WINDOW_MILLIS - now };
  }
}

export const QUEUE_BYTES_MAX = 256 * 1_024;
export const QUEUE_FRAMES_MAX = 256;

/**
 * What a connection has to send. As long as the client keeps up, a frame goes to the socket at once, and
 * those that follow it at the same moment leave in one write. When it does not, frames wait here within limits; the caller learns when one does not fit.
 */
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

interface ConnectionOptions {
  readonly webSocket: WebSocket;
  /** The network socket under the WebSocket. */
  readonly socket: Duplex;
  readonly client: string;
  readonly framesPerSecond: number;
  readonly clock: Clock;
}

/**
 * One open socket: its frames in and out, its rate, its heartbeat, its end. What the frames mean is the
 * handler's business. Frames are written to the network socket as they are, past the sender of `ws`, which
 * would frame them anew for each client; `ws` reads, checks and closes.
 */
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

/**
 * A handler of a socket on which the node alone speaks.
 */
export class ListeningHandler implements ConnectionHandler {
  readonly #refuse: (frame: Buffer) => void;

  constructor(connection: Outlet) {
    this.#refuse = (frame) => connection.reply(frame);
  }

  text(): void {
    const data = { code: 'unexpected_frame', message: 'this socket takes no frames' };
    this.#refuse(jsonFrame({ type: 'error', data }));
  }

  room(): void {}

  closed(): void {}
}

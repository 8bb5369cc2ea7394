/**
 * Calls of `POST /v1/rpc` that come whole: one piece of the connection holds the head in its usual form and all of the body.
 * They are answered from the connection itself, because the platform's protocol of a connection takes as long for a call
 * as the dispatch of it. The first piece of another form goes to that protocol, and so does everything that comes after it
 * on the same connection; nothing is refused here.
 */
import type { Socket } from 'node:net';
import type { Clock } from 'svc-base/pure';
import type { AccessControl, Grant } from './access.ts';
import type { RpcAnswer } from './dispatch.ts';
import { directAnswer, FAILED, refusalText } from './refusals.ts';
import { readUsualHead } from './usual-head.ts';

const HEAD_END = '\r\n\r\n';

export interface WholeCallPorts {
  readonly access: Pick<AccessControl, 'find'>;
  /** Gives a connection that showed a valid token its place; false if there is none. */
  admit(socket: Socket): boolean;
  /** The answer to the text of a request; undefined if it holds notifications only. */
  answer(text: string, grant: Grant): Promise<RpcAnswer | RpcAnswer[] | undefined>;
  /** Called when an answer has been handed to the system. */
  readonly onReplied: (() => void) | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

/** What a listener lets connections do. */
export interface ConnectionTerms {
  /** Whether the host that a request names is one of this listener. */
  isOwnHost(host: string): boolean;
  /** Gives a connection to the platform's protocol, which reads what it has not read yet. */
  handOver(socket: Socket): void;
  /** A connection that sends nothing is closed after this long, one that has been answered after this long again. */
  readonly firstMillisMax: number;
  readonly idleMillisMax: number;
  /** What answers tell of `idleMillisMax`. */
  readonly idleSeconds: number;
  /** Calls of one connection; it is closed with the last. */
  readonly callsMax: number;
}

export class WholeCalls {
  readonly #ports: WholeCallPorts;
  readonly #connections = new Set<WholeConnection>();
  #dateSeconds = 0;
  #date = '';

  constructor(ports: WholeCallPorts) {
    this.#ports = ports;
  }

  /** Answers the calls of a connection for as long as they come whole. */
  take(socket: Socket, terms: ConnectionTerms): void {
    const connection = new WholeConnection(socket, terms, {
      ...this.#ports,
      date: () => this.#now(),
      onLeft: () => this.#connections.delete(connection),
    });
    this.#connections.add(connection);
  }

  /** Ends the connections that are served here. */
  close(): void {
    for (const connection of [...this.#connections]) connection.destroy();
  }

  /** The time as headers tell it, which stays the same for a second. */
  #now(): string {
    const seconds = Math.floor(this.#ports.clock.now() / 1_000);
    if (seconds !== this.#dateSeconds) {
      this.#dateSeconds = seconds;
      this.#date = new Date(seconds * 1_000).toUTCString();
    }
    return this.#date;
  }
}

interface ConnectionPorts extends WholeCallPorts {
  date(): string;
  /** Called when the connection has ended or was handed over. */
  onLeft(): void;
}

/** A head that was read before, and what its token allows. */
interface KnownHead {
  readonly text: string;
  readonly length: number;
  readonly grant: Grant;
}

class WholeConnection {
  readonly #socket: Socket;
  readonly #terms: ConnectionTerms;
  readonly #ports: ConnectionPorts;
  /** The head of the last call: the next one mostly has the same. */
  #known: KnownHead | undefined;
  #isAnswering = false;
  /** What came while a call was being answered. */
  #early: Buffer[] = [];
  #hasEnded = false;
  #calls = 0;
  readonly #onData = (piece: Buffer): void => this.#receive(piece);
  readonly #onEnd = (): void => this.#receiveEnd();
  readonly #onTimeout = (): void => this.#endIdle();
  readonly #onError = (): void => void this.#socket.destroy();
  readonly #onClose = (): void => this.#ports.onLeft();

  constructor(socket: Socket, terms: ConnectionTerms, ports: ConnectionPorts) {
    this.#socket = socket;
    this.#terms = terms;
    this.#ports = ports;
    socket.setTimeout(terms.firstMillisMax);
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('timeout', this.#onTimeout);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #receive(piece: Buffer): void {
    if (this.#isAnswering) {
      this.#early.push(piece);
      this.#socket.pause();
      return;
    }
    const headEnd = piece.indexOf(HEAD_END);
    const known = headEnd === -1 ? undefined : this.#knowHead(piece.toString('latin1', 0, headEnd));
    const bodyAt = headEnd + HEAD_END.length;
    if (known === undefined || piece.length !== bodyAt + known.length) this.#handOver([piece]);
    else void this.#answer(piece.toString('utf8', bodyAt), known.grant);
  }

  /** What a head says that is welcome in every way; undefined for any other. */
  #knowHead(text: string): KnownHead | undefined {
    const { access } = this.#ports;
    const known = this.#known;
    if (known?.text === text && known.grant.isValid()) return known;
    const head = readUsualHead(text);
    if (head === undefined || !this.#terms.isOwnHost(head.host)) return undefined;
    const grant = access.find(head.authorization);
    if (grant === undefined || !this.#ports.admit(this.#socket)) return undefined;
    this.#known = { text, length: head.length, grant };
    return this.#known;
  }

  async #answer(text: string, grant: Grant): Promise<void> {
    this.#isAnswering = true;
    const isLast = ++this.#calls >= this.#terms.callsMax;
    let answer: string;
    try {
      answer = this.#replyTo(await this.#ports.answer(text, grant), isLast);
    } catch {
      answer = this.#reply(FAILED.status, refusalText(FAILED), isLast);
    }
    this.#isAnswering = false;
    if (!this.#socket.destroyed) this.#write(answer, isLast || this.#hasEnded);
  }

  #write(answer: string, isLast: boolean): void {
    const socket = this.#socket;
    const { onReplied } = this.#ports;
    // The platform writes what is ASCII alone faster where it is told so.
    const encoding = Buffer.byteLength(answer) === answer.length ? 'latin1' : 'utf8';
    if (isLast) {
      socket.end(answer, encoding, onReplied);
      return;
    }
    const hasRoom = socket.write(answer, encoding, onReplied);
    if (this.#calls === 1) socket.setTimeout(this.#terms.idleMillisMax);
    const early = this.#early.splice(0);
    if (early.length > 0) this.#handOver(early);
    else if (!hasRoom) {
      // Who does not read its answers is not read from either.
      socket.pause();
      socket.once('drain', () => socket.resume());
    }
  }

  #replyTo(document: object | undefined, isLast: boolean): string {
    return document === undefined
      ? this.#reply(204, undefined, isLast)
      : this.#reply(200, JSON.stringify(document), isLast);
  }

  #reply(status: number, body: string | undefined, isLast: boolean): string {
    const { callsMax, idleSeconds } = this.#terms;
    const connection = isLast
      ? 'Connection: close'
      : `Connection: keep-alive\r\nKeep-Alive: timeout=${idleSeconds}, max=${callsMax}`;
    return directAnswer(status, body, `Date: ${this.#ports.date()}\r\n${connection}`);
  }

  #receiveEnd(): void {
    this.#hasEnded = true;
    if (!this.#isAnswering) this.#socket.end();
  }

  /** Closes a connection on which nothing happens; one whose call is being answered waits for that. */
  #endIdle(): void {
    if (!this.#isAnswering) this.#socket.destroy();
  }

  /** Gives the connection away, with what was read of it and not answered. */
  #handOver(pieces: readonly Buffer[]): void {
    const socket = this.#socket;
    socket.pause();
    socket.setTimeout(0);
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('timeout', this.#onTimeout);
    socket.off('error', this.#onError);
    socket.off('close', this.#onClose);
    this.#ports.onLeft();
    socket.unshift(Buffer.concat(pieces));
    this.#terms.handOver(socket);
    socket.resume();
  }
}

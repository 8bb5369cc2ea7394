/**
 * One connection of a miner: bytes of its socket become messages for its session, and the effects of the session are
 * carried out. It knows nothing of jobs and shares; the server does.
 */
import {
  encodeMessage,
  MessageStream,
  type Offence,
  type PendingShare,
  type Protocol,
  type Refusal,
  type ServerEffect,
  type ServerMessage,
  type ServerSession,
} from 'svc-mining';
import { isRefusal } from 'svc-wasm/base';
import type { Transport } from './transport.ts';

export interface ConnectionEvents {
  authorized(connection: Connection, tag: string): void;
  check(connection: Connection, share: PendingShare): void;
  refused(connection: Connection, refusal: Refusal): void;
  /** Whether the source is banned now. */
  offended(connection: Connection, offence: Offence): boolean;
  closed(connection: Connection): void;
}

/** Bytes that a miner may leave unread: a hundred jobs. */
const UNSENT_MAX = 128 << 10;

export class Connection {
  readonly transport: Transport;
  readonly source: string;
  readonly session: ServerSession;
  readonly #events: ConnectionEvents;
  readonly #stream: MessageStream;
  #isClosed = false;

  constructor(
    transport: Transport,
    source: string,
    events: ConnectionEvents,
    createSession: (owner: object) => ServerSession,
  ) {
    this.transport = transport;
    this.source = source;
    this.#events = events;
    this.#stream = new MessageStream(transport.kind === 'ws' ? 'svc-mining-v1' : undefined);
    this.session = createSession(this);
  }

  get protocol(): Protocol {
    return this.#stream.protocol ?? 'svc-mining-v1';
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  receive(bytes: Uint8Array, nowMillis: number): void {
    if (this.#isClosed) return;
    try {
      for (const message of this.#stream.push(bytes)) {
        this.apply(this.session.receive(message, nowMillis));
        if (this.#isClosed) return;
      }
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.apply(this.session.receiveBroken(error.message));
    }
  }

  apply(effects: readonly ServerEffect[]): void {
    for (const effect of effects) this.#applyOne(effect);
  }

  send(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    if (this.transport.unsent > UNSENT_MAX) this.close(true);
    else this.transport.send(bytes);
  }

  /** The socket has closed, or is to be closed. */
  close(isAbrupt: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.session.disconnect();
    this.transport.close(isAbrupt);
    this.#events.closed(this);
  }

  #applyOne(effect: ServerEffect): void {
    switch (effect.type) {
      case 'send':
        this.#sendMessage(effect.message);
        break;
      case 'authorized':
        this.#events.authorized(this, effect.tag);
        break;
      case 'check':
        this.#events.check(this, effect.share);
        break;
      case 'refused':
        this.#events.refused(this, effect.refusal);
        break;
      case 'offence':
        if (this.#events.offended(this, effect.offence)) this.close(false);
        break;
      case 'replaced':
        (effect.owner as Connection).close(true);
        break;
      case 'close':
        this.close(false);
        break;
      default:
        effect satisfies never;
    }
  }

  #sendMessage(message: ServerMessage): void {
    this.send(encodeMessage(message, this.protocol));
  }
}

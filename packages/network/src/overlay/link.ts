/**
 * A proven connection to one validator: keeps it alive, measures the other clock, and hands frames on.
 */
import type { Clock } from 'svc-base/pure';
import { type ClockOffset, clockOffsetOf } from './clock-watch.ts';
import type { Greeted } from './handshake.ts';
import { decodeTimes, encodeTimes } from './link-bytes.ts';
import { LINK } from './link-kinds.ts';
import type { FrameOwner, SocketChannel } from './socket-channel.ts';

export interface LinkEvents {
  readonly onFrame: (link: OverlayLink, kind: number, payload: Uint8Array) => void;
  readonly onClose: (link: OverlayLink, error: Error | undefined) => void;
}

const PING_MILLIS = 3_000;
const SILENCE_MILLIS_MAX = 12_000;
const NOTHING = new Uint8Array(0);

export class OverlayLink {
  readonly validatorId: string;
  readonly isDialled: boolean;
  readonly openedAtMillis: number;
  /** The validators that the other side is connected to. */
  neighbours: ReadonlySet<string> = new Set();
  /** Undefined before the first answer. */
  clockOffset: ClockOffset | undefined;
  readonly #channel: SocketChannel;
  readonly #clock: Clock;
  #heardAtMillis: number;
  #cancelPing: (() => void) | undefined;

  constructor(greeted: Greeted, isDialled: boolean, clock: Clock, events: LinkEvents) {
    this.validatorId = greeted.validatorId;
    this.isDialled = isDialled;
    this.#channel = greeted.channel;
    this.#clock = clock;
    this.openedAtMillis = clock.monotonic();
    this.#heardAtMillis = clock.monotonic();
    this.#pingLater();
    greeted.attach({
      onFrame: (kind, payload) => {
        this.#heardAtMillis = clock.monotonic();
        if (kind === LINK.ping) this.#answerPing(payload);
        else if (kind === LINK.pong) this.#readPong(payload);
        else events.onFrame(this, kind, payload);
      },
      onClose: (error) => {
        this.#cancelPing?.();
        events.onClose(this, error);
      },
    });
  }

  get isOpen(): boolean {
    return this.#channel.isOpen;
  }

  send(kind: number, payload: Uint8Array = NOTHING, owner: FrameOwner = 'own'): boolean {
    return this.#channel.send(kind, payload, owner);
  }

  close(error?: Error): void {
    this.#channel.close(error);
  }

  /** Ends the link because of something that the other side must have known to be wrong. */
  readonly blame = (reason: string): void => this.close(new Error(reason));

  #pingLater(): void {
    this.#cancelPing = this.#clock.after(PING_MILLIS, () => {
      if (this.#clock.monotonic() - this.#heardAtMillis > SILENCE_MILLIS_MAX) {
        this.close(new Error(`silent for ${SILENCE_MILLIS_MAX} ms`));
        return;
      }
      this.send(LINK.ping, encodeTimes(this.#clock.now()));
      this.#pingLater();
    });
  }

  #answerPing(payload: Uint8Array): void {
    const [sentAt] = decodeTimes(payload, 1) as [number];
    this.send(LINK.pong, encodeTimes(sentAt, this.#clock.now()));
  }

  #readPong(payload: Uint8Array): void {
    const [sentAt, theirs] = decodeTimes(payload, 2) as [number, number];
    const now = this.#clock.now();
    if (sentAt > now || sentAt < now - SILENCE_MILLIS_MAX) return;
    this.clockOffset = clockOffsetOf(sentAt, theirs, now);
  }
}

/**
 * Messages from other validators on their way to the machine: decoded, compared with what is wanted, and only
 * then have their signatures checked, all of a turn together. What does not fit into the bounds is dropped;
 * the machine asks again for what it misses.
 */
import type { Clock, Log } from 'svc-base/pure';
import { messageOf } from 'svc-base/pure';
import { type SignatureVerdict, WIRE_MESSAGE_BYTES_MAX, type WireMessage } from 'svc-finality';
import { SvcError } from 'svc-wasm/base';
import { isPromiseLike, type Later, whenReady } from '../base/later.ts';
import type { MessageCodec, VoteChecks } from '../ports/overlay.ts';

export interface Arrival {
  readonly from: string;
  readonly message: WireMessage;
  readonly atMillis: number;
}

/** Ends the connection that a packet came over; undefined for what was passed on. */
type Blame = ((reason: string) => void) | undefined;

/** `verify`: its signatures decide. `accept`: it has none. `drop`: it is of no use now. `reject`: it blames its sender. */
export type Wanted = 'verify' | 'accept' | 'drop' | 'reject';

export interface InboxPorts<Packet> {
  readonly codec: Pick<MessageCodec<Packet>, 'decode' | 'sizeOf' | 'keyOf'>;
  readonly checks: Pick<VoteChecks<Packet>, 'verify'>;
  readonly log: Log;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly soon: (call: () => void) => void;
  readonly isWanted: (message: WireMessage) => Wanted;
  readonly deliver: (arrival: Arrival) => void;
  readonly onFatal: (error: unknown) => void;
}

/** What is remembered of who sends. */
interface Sender {
  /** Messages of it that wait here. */
  waiting: number;
  /** Bad messages of it since the first of a while, and when that while ends. */
  bad: number;
  badUntil: number;
}

interface Waiting<Packet> {
  readonly from: string;
  readonly sender: Sender;
  readonly packet: Packet;
  readonly size: number;
  readonly atMillis: number;
  readonly blame: Blame;
}

/** None where the checks had no room. */
type Verdicts = readonly SignatureVerdict[] | undefined;

interface Signed<Packet> extends Arrival {
  readonly packet: Packet;
  readonly key: unknown;
  readonly blame: Blame;
}

const MESSAGES_MAX = 4_096;
const MESSAGES_PER_SENDER_MAX = 1_024;
const BYTES_MAX = 64 << 20;
/** Senders of whom nothing waits, and nothing bad came lately, are forgotten when there are more than this. */
const SENDERS_KEPT_MAX = 256;
/** Who sends this many bad messages in a while is not heard for as long. */
const BAD_MESSAGES_MAX = 16;
const BAD_MESSAGES_MILLIS = 10_000;
/** Packets with a signature that did not hold are not checked again while so many are remembered. */
const FAILED_MAX = 1_024;
/** Stays empty: a list of what waits is made for the first message. */
const NOTHING: never[] = [];
/** What is handled in one go before other work of the process has its turn. */
const BATCH_MAX = 256;

export class Inbox<Packet> {
  readonly #ports: InboxPorts<Packet>;
  #waiting: Waiting<Packet>[] = NOTHING;
  #bytes = 0;
  readonly #senders = new Map<string, Sender>();
  /** Keys of packets whose signatures did not hold; the oldest is forgotten first. */
  readonly #failed = new Set<unknown>();
  /** Keys of the packets whose signatures are being checked now. */
  readonly #checking = new Set<unknown>();
  #isScheduled = false;
  #isClosed = false;
  dropped = 0;
  rejected = 0;

  constructor(ports: InboxPorts<Packet>) {
    this.#ports = ports;
  }

  /** `blame` is called if a signature does not hold: nobody sends what it has neither signed nor checked. */
  receive(from: string, packet: Packet, blame?: (reason: string) => void): void {
    if (this.#isClosed) return;
    const size = this.#ports.codec.sizeOf(packet);
    const sender = this.#senderOf(from);
    const fits =
      !this.#isShunned(sender) &&
      size <= WIRE_MESSAGE_BYTES_MAX &&
      this.#waiting.length < MESSAGES_MAX &&
      sender.waiting < MESSAGES_PER_SENDER_MAX &&
      this.#bytes + size <= BYTES_MAX;
    if (!fits) {
      this.dropped++;
      return;
    }
    sender.waiting += 1;
    this.#bytes += size;
    const item = { from, sender, packet, size, atMillis: this.#ports.clock.now(), blame };
    // Mostly nothing else waits, and a list that is made with one entry has room for no more than that.
    if (this.#waiting.length === 0) this.#waiting = [item];
    else this.#waiting.push(item);
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = NOTHING;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#ports.soon(this.#handleSoon);
  }

  readonly #handleSoon = (): void => {
    this.#isScheduled = false;
    try {
      this.#handleBatch();
    } catch (error) {
      this.#ports.onFatal(error);
    }
  };

  #takeBatch(): Waiting<Packet>[] {
    const all = this.#waiting;
    if (all.length > BATCH_MAX) return all.splice(0, BATCH_MAX);
    this.#waiting = NOTHING;
    return all;
  }

  #handleBatch(): void {
    if (this.#isClosed) return;
    const batch = this.#takeBatch();
    if (this.#waiting.length > 0) this.#schedule();
    let signed: Signed<Packet>[] | undefined;
    for (const item of batch) {
      this.#bytes -= item.size;
      item.sender.waiting -= 1;
      const message = this.#decode(item);
      if (message === undefined) continue;
      const { from, packet, atMillis, blame } = item;
      const wanted = this.#ports.isWanted(message);
      if (wanted === 'accept') this.#ports.deliver({ from, message, atMillis });
      else if (wanted === 'verify') {
        const key = this.#ports.codec.keyOf(packet);
        const arrival = { from, message, atMillis, packet, key, blame };
        if (this.#failed.has(key)) this.#rejectForged(arrival);
        else if (signed === undefined) signed = [arrival];
        else signed.push(arrival);
      } else if (wanted === 'reject') this.#reject(from, 'not_allowed');
    }
    if (this.#senders.size > SENDERS_KEPT_MAX) this.#forgetSenders();
    if (signed !== undefined) this.#checkAll(signed);
  }

  /** The same message comes from several neighbours; it is checked once. */
  #checkAll(arrivals: readonly Signed<Packet>[]): void {
    const fresh = this.#notYetChecking(arrivals);
    if (fresh.length === 0) return;
    const verdicts = this.#verify(fresh);
    if (!isPromiseLike(verdicts)) {
      this.#deliverAll(fresh, verdicts, 'atOnce');
      return;
    }
    for (const { key } of fresh) this.#checking.add(key);
    this.#deliverLater(fresh, verdicts);
  }

  #notYetChecking(arrivals: readonly Signed<Packet>[]): readonly Signed<Packet>[] {
    if (arrivals.length === 1 && this.#checking.size === 0) return arrivals;
    const keys = new Set<unknown>();
    return arrivals.filter(({ key }) => {
      if (keys.has(key) || this.#checking.has(key)) return false;
      keys.add(key);
      return true;
    });
  }

  #deliverLater(arrivals: readonly Signed<Packet>[], verdicts: PromiseLike<Verdicts>): void {
    whenReady(
      verdicts,
      (given) => {
        this.#endChecking(arrivals);
        this.#deliverAll(arrivals, given, 'later');
      },
      (error) => {
        this.#endChecking(arrivals);
        this.#ports.onFatal(error);
      },
    );
  }

  #endChecking(arrivals: readonly Signed<Packet>[]): void {
    if (arrivals.length === this.#checking.size) this.#checking.clear();
    else for (const { key } of arrivals) this.#checking.delete(key);
  }

  /**
   * What was wanted when its check began may have come from somebody else since: while the check lasted, or before it
   * in the same batch.
   */
  #deliverAll(
    arrivals: readonly Signed<Packet>[],
    verdicts: Verdicts,
    given: 'atOnce' | 'later',
  ): void {
    if (verdicts === undefined) return;
    for (let place = 0; place < arrivals.length; place++) {
      const arrival = arrivals[place];
      const verdict = verdicts[place];
      if (this.#isClosed || arrival === undefined || verdict === undefined) return;
      const isFresh = place === 0 && given === 'atOnce';
      if (verdict.holds) {
        if (isFresh || this.#ports.isWanted(arrival.message) === 'verify')
          this.#ports.deliver(arrival);
      } else {
        if (verdict.code !== 'bad_signature') this.#reject(arrival.from, verdict.code);
        else {
          this.#rejectForged(arrival);
          this.#rememberFailed(arrival.key);
        }
      }
    }
  }

  #rejectForged({ from, blame }: Signed<Packet>): void {
    this.#reject(from, 'bad_signature');
    blame?.('a message whose signature does not hold');
  }

  #rememberFailed(key: unknown): void {
    this.#failed.add(key);
    if (this.#failed.size <= FAILED_MAX) return;
    const [oldest] = this.#failed;
    this.#failed.delete(oldest);
  }

  /** Checks elsewhere may be too busy; then the messages count as lost. */
  #verify(arrivals: readonly Signed<Packet>[]): Later<Verdicts> {
    try {
      const verdicts = this.#ports.checks.verify(arrivals.map(({ packet }) => packet));
      if (!isPromiseLike(verdicts)) return verdicts;
      return verdicts.then(
        (given) => given,
        (error: unknown) => this.#lose(arrivals, error),
      );
    } catch (error) {
      return this.#lose(arrivals, error);
    }
  }

  #lose(arrivals: readonly Signed<Packet>[], error: unknown): undefined {
    this.dropped += arrivals.length;
    const reason = messageOf(error);
    this.#ports.log.debug({ reason }, 'messages of validators could not be checked');
    return undefined;
  }

  #decode({ from, packet }: Waiting<Packet>): WireMessage | undefined {
    try {
      return this.#ports.codec.decode(packet);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      // A set that is not known here may be our own ignorance.
      if (error.code !== 'wrong_validator_set') this.#reject(from, error.code);
      return undefined;
    }
  }

  #reject(from: string, code: string): void {
    const sender = this.#senderOf(from);
    if (sender.bad === 0) sender.badUntil = this.#ports.clock.monotonic() + BAD_MESSAGES_MILLIS;
    sender.bad += 1;
    this.rejected++;
    this.#ports.log.debug({ from, code }, 'refused a message of a validator');
  }

  #isShunned(sender: Sender): boolean {
    if (sender.bad > 0 && sender.badUntil <= this.#ports.clock.monotonic()) sender.bad = 0;
    return sender.bad >= BAD_MESSAGES_MAX;
  }

  #senderOf(from: string): Sender {
    let sender = this.#senders.get(from);
    if (sender === undefined) {
      sender = { waiting: 0, bad: 0, badUntil: 0 };
      this.#senders.set(from, sender);
    }
    return sender;
  }

  #forgetSenders(): void {
    const now = this.#ports.clock.monotonic();
    for (const [from, { waiting, bad, badUntil }] of this.#senders)
      if (waiting === 0 && (bad === 0 || badUntil <= now)) this.#senders.delete(from);
  }
}

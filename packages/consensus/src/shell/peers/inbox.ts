/**
 * Messages from other validators on their way to the machine: decoded, compared with what is wanted, and only
 * then have their signatures checked, all of a turn together. What does not fit into the bounds is dropped;
 * the machine asks again for what it misses. Room and bad messages are counted for the neighbour that handed a message
 * over: the validator that it names as the sender may know nothing of it.
 */
import type { Clock, Log } from 'svc-base/pure';
import { messageOf } from 'svc-base/pure';
import {
  type SignatureVerdict,
  WIRE_MESSAGE_BYTES_MAX,
  type WireMessage,
} from 'svc-consensus/machine';
import { SvcError } from 'svc-wasm/base';
import { isPromiseLike, type Later, whenReady } from '../base/later.ts';
import type { MessageCodec, PacketLink, VoteChecks } from '../ports/overlay.ts';
import { FairQueue } from './fair-queue.ts';

export interface Arrival {
  readonly from: string;
  /** Whether the sender itself handed it over. */
  readonly isDirect: boolean;
  /** The account that it is charged to. */
  readonly account: string;
  readonly message: WireMessage;
  readonly atMillis: number;
}

/** `verify`: its signatures decide. `accept`: it has none. `drop`: it is of no use now. `reject`: it blames its sender. */
export type Wanted = 'verify' | 'accept' | 'drop' | 'reject';

export interface InboxPorts<Packet> {
  readonly codec: Pick<MessageCodec<Packet>, 'decode' | 'sizeOf' | 'keyOf'>;
  readonly checks: Pick<VoteChecks<Packet>, 'verify'>;
  readonly log: Log;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly soon: (call: () => void) => void;
  readonly limits: InboxLimits;
  /** The account that a packet from a neighbour is charged to. */
  readonly accountOf: (from: string, neighbour: string) => string;
  readonly isWanted: (message: WireMessage) => Wanted;
  /** The slot that a wanted message would fill: of messages for one slot, one makes the others useless. */
  readonly slotOf: (message: WireMessage) => string;
  readonly deliver: (arrival: Arrival) => void;
  readonly onFatal: (error: unknown) => void;
}

/** The inbox counts units of 4 KiB; a small message takes one. */
export interface InboxLimits {
  readonly units: number;
  /** Bytes under check at one time. */
  readonly checkedUnits: number;
  /** Bytes handled in one turn before other work of the process continues. */
  readonly batch: number;
}

/** 64 MiB, or 256 votes of each member of a committee. The checking threads have a queue of 32 MiB. */
export const INBOX_LIMITS: InboxLimits = { units: 16_384, checkedUnits: 2_048, batch: 256 };

/** Bad messages of an account since the first of a while, and when that while ends. */
interface BadMessages {
  count: number;
  readonly until: number;
}

interface Waiting<Packet> extends Omit<Arrival, 'message'> {
  readonly packet: Packet;
  readonly units: number;
  readonly link: PacketLink | undefined;
}

/** None if the checking threads were full. */
type Verdicts = readonly SignatureVerdict[] | undefined;

interface Signed<Packet> extends Arrival {
  readonly packet: Packet;
  readonly units: number;
  readonly key: unknown;
  readonly slot: string;
  readonly link: PacketLink | undefined;
}

const UNIT_BYTES = 4_096;
/** Accounts without bad messages lately are forgotten when there are more than this. */
const BAD_KEPT_MAX = 256;
/** An account with this many bad messages in a period is ignored for as long. */
const BAD_MESSAGES_MAX = 16;
const BAD_MESSAGES_MILLIS = 10_000;
/** Packets with a signature that did not hold are not checked again while so many are remembered. */
const FAILED_MAX = 1_024;

export class Inbox<Packet> {
  readonly #ports: InboxPorts<Packet>;
  readonly #waiting: FairQueue<Waiting<Packet>>;
  readonly #bad = new Map<string, BadMessages>();
  /** Keys of packets whose signatures did not hold; the oldest is forgotten first. */
  readonly #failed = new Set<unknown>();
  /** Keys of the packets whose signatures are being checked now, and slots by account. */
  readonly #checking = new Set<unknown>();
  readonly #slots = new Set<string>();
  #checkedUnits = 0;
  #isScheduled = false;
  #isClosed = false;
  dropped = 0;
  rejected = 0;

  constructor(ports: InboxPorts<Packet>) {
    this.#ports = ports;
    this.#waiting = new FairQueue(ports.limits.units);
  }

  /** Without a link the sender itself has handed the packet over. */
  receive(from: string, packet: Packet, link?: PacketLink): void {
    if (this.#isClosed) return;
    const { codec, clock, accountOf } = this.#ports;
    const neighbour = link?.validatorId ?? from;
    const account = accountOf(from, neighbour);
    const size = codec.sizeOf(packet);
    if (size > WIRE_MESSAGE_BYTES_MAX || this.#isShunned(account)) {
      this.dropped++;
      return;
    }
    const units = Math.max(1, Math.ceil(size / UNIT_BYTES));
    const isDirect = neighbour === from;
    const item = { from, isDirect, account, atMillis: clock.now(), packet, units, link };
    this.dropped += this.#waiting.push(account, item, units);
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    if (this.#checkedUnits >= this.#ports.limits.checkedUnits) return;
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

  #handleBatch(): void {
    if (this.#isClosed) return;
    const { batch, checkedUnits } = this.#ports.limits;
    const signed: Signed<Packet>[] = [];
    let room = checkedUnits - this.#checkedUnits;
    for (let count = 0; count < batch && room > 0; count++) {
      const item = this.#waiting.shift();
      if (item === undefined) break;
      const arrival = this.#judge(item);
      if (arrival === undefined) continue;
      signed.push(arrival);
      room -= item.units;
    }
    if (signed.length > 0) this.#checkAll(signed);
    this.#schedule();
  }

  /** Decodes a message and delivers it, unless it is of no use or its signatures have to be checked. */
  #judge(item: Waiting<Packet>): Signed<Packet> | undefined {
    const message = this.#decode(item);
    if (message === undefined) return undefined;
    const { packet, account, isDirect } = item;
    const wanted = this.#ports.isWanted(message);
    if (wanted === 'accept') this.#ports.deliver({ ...item, message });
    // A forwarder checks the signatures of a message, not whether its author may send it.
    else if (wanted === 'reject' && isDirect) this.#reject(account, 'not_allowed');
    if (wanted !== 'verify') return undefined;
    const key = this.#ports.codec.keyOf(packet);
    const slot = `${account} ${this.#ports.slotOf(message)}`;
    const arrival = { ...item, message, key, slot };
    if (!this.#failed.has(key)) return arrival;
    this.#rejectForged(arrival);
    return undefined;
  }

  #checkAll(arrivals: readonly Signed<Packet>[]): void {
    const fresh = arrivals.filter((arrival) => this.#begin(arrival));
    if (fresh.length === 0) return;
    const verdicts = this.#verify(fresh);
    if (!isPromiseLike(verdicts)) {
      this.#end(fresh);
      this.#deliverAll(fresh, verdicts, 'atOnce');
      return;
    }
    whenReady(
      verdicts,
      (given) => {
        this.#end(fresh);
        this.#deliverAll(fresh, given, 'later');
        this.#schedule();
      },
      (error) => {
        this.#end(fresh);
        this.#ports.onFatal(error);
      },
    );
  }

  /**
   * Whether a message is to be checked now. The same message comes from several neighbours; it is checked once. And one
   * account has one message for a slot checked at a time: what is wanted is known only when the verdict on it is.
   */
  #begin({ key, slot, units }: Signed<Packet>): boolean {
    if (this.#checking.has(key) || this.#slots.has(slot)) return false;
    this.#checking.add(key);
    this.#slots.add(slot);
    this.#checkedUnits += units;
    return true;
  }

  #end(arrivals: readonly Signed<Packet>[]): void {
    for (const { key, slot, units } of arrivals) {
      this.#checking.delete(key);
      this.#slots.delete(slot);
      this.#checkedUnits -= units;
    }
  }

  /**
   * A message that was wanted when its check began may have come from another neighbour since, during the check or
   * earlier in the same batch.
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
      } else if (verdict.code === 'bad_signature') {
        this.#rejectForged(arrival);
        this.#rememberFailed(arrival.key);
      } else if (verdict.code !== 'wrong_validator_set')
        this.#reject(arrival.account, verdict.code);
    }
  }

  /**
   * No honest validator hands over what it has neither signed nor checked; a link is closed for messages that its
   * other end sends as its own.
   */
  #rejectForged({ account, isDirect, link }: Signed<Packet>): void {
    this.#reject(account, 'bad_signature');
    if (isDirect) link?.blame('a message whose signature does not hold');
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

  #decode({ account, packet }: Waiting<Packet>): WireMessage | undefined {
    try {
      return this.#ports.codec.decode(packet);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      // An unknown set may be our own ignorance.
      if (error.code !== 'wrong_validator_set') this.#reject(account, error.code);
      return undefined;
    }
  }

  #reject(account: string, code: string): void {
    this.rejected++;
    this.#ports.log.debug({ account, code }, 'refused a message of a validator');
    const known = this.#bad.get(account);
    if (known !== undefined) known.count += 1;
    else this.#bad.set(account, { count: 1, until: this.#now + BAD_MESSAGES_MILLIS });
    if (this.#bad.size > BAD_KEPT_MAX)
      for (const [other, { until }] of this.#bad) if (until <= this.#now) this.#bad.delete(other);
  }

  #isShunned(account: string): boolean {
    const known = this.#bad.get(account);
    if (known === undefined) return false;
    if (known.until <= this.#now) this.#bad.delete(account);
    return known.until > this.#now && known.count >= BAD_MESSAGES_MAX;
  }

  get #now(): number {
    return this.#ports.clock.monotonic();
  }
}

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

interface Waiting<Packet> {
  readonly from: string;
  readonly packet: Packet;
  readonly size: number;
  readonly atMillis: number;
}

/** None where the checks had no room. */
type Verdicts = readonly SignatureVerdict[] | undefined;

interface Signed<Packet> extends Arrival {
  readonly packet: Packet;
  readonly key: unknown;
}

const MESSAGES_MAX = 4_096;
const MESSAGES_PER_SENDER_MAX = 1_024;
const BYTES_MAX = 64 << 20;
/** Senders of whom nothing waits are forgotten when there are more than this. */
const SENDERS_KEPT_MAX = 256;
/** Who sends this many bad messages in a while is not heard for as long. */
const BAD_MESSAGES_MAX = 16;
const BAD_MESSAGES_MILLIS = 10_000;
/** Packets with a signature that did not hold are not checked again while so many are remembered. */
const FAILED_MAX = 1_024;
/** What is handled in one go before other work of the process has its turn. */
const BATCH_MAX = 256;

export class Inbox<Packet> {
  readonly #ports: InboxPorts<Packet>;
  #waiting: Waiting<Packet>[] = [];
  #bytes = 0;
  readonly #perSender = new Map<string, number>();
  readonly #bad = new Map<string, { count: number; readonly until: number }>();
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

  receive(from: string, packet: Packet): void {
    if (this.#isClosed) return;
    const size = this.#ports.codec.sizeOf(packet);
    const waiting = this.#perSender.get(from) ?? 0;
    const fits =
      !this.#isShunned(from) &&
      size <= WIRE_MESSAGE_BYTES_MAX &&
      this.#waiting.length < MESSAGES_MAX &&
      waiting < MESSAGES_PER_SENDER_MAX &&
      this.#bytes + size <= BYTES_MAX;
    if (!fits) {
      this.dropped++;
      return;
    }
    this.#perSender.set(from, waiting + 1);
    this.#bytes += size;
    this.#waiting.push({ from, packet, size, atMillis: this.#ports.clock.now() });
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
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
    this.#waiting = [];
    return all;
  }

  #handleBatch(): void {
    if (this.#isClosed) return;
    const batch = this.#takeBatch();
    if (this.#waiting.length > 0) this.#schedule();
    const signed: Signed<Packet>[] = [];
    for (const item of batch) {
      this.#bytes -= item.size;
      this.#release(item.from);
      const message = this.#decode(item);
      if (message === undefined) continue;
      const { from, packet, atMillis } = item;
      const wanted = this.#ports.isWanted(message);
      if (wanted === 'accept') this.#ports.deliver({ from, message, atMillis });
      else if (wanted === 'verify') {
        const key = this.#ports.codec.keyOf(packet);
        if (this.#failed.has(key)) this.#reject(from, 'bad_signature');
        else signed.push({ from, message, atMillis, packet, key });
      } else if (wanted === 'reject') this.#reject(from, 'not_allowed');
    }
    if (signed.length > 0) this.#checkAll(signed);
  }

  /** The same message comes from several neighbours; it is checked once. */
  #checkAll(arrivals: readonly Signed<Packet>[]): void {
    const fresh = arrivals.filter(({ key }) => {
      if (this.#checking.has(key)) return false;
      this.#checking.add(key);
      return true;
    });
    if (fresh.length === 0) return;
    const verdicts = this.#verify(fresh);
    if (isPromiseLike(verdicts)) this.#deliverLater(fresh, verdicts);
    else {
      this.#endChecking(fresh);
      this.#deliverAll(fresh, verdicts);
    }
  }

  #deliverLater(arrivals: readonly Signed<Packet>[], verdicts: PromiseLike<Verdicts>): void {
    whenReady(
      verdicts,
      (given) => {
        this.#endChecking(arrivals);
        this.#deliverAll(arrivals, given);
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

  #deliverAll(arrivals: readonly Signed<Packet>[], verdicts: Verdicts): void {
    if (verdicts === undefined) return;
    for (let place = 0; place < arrivals.length; place++) {
      const arrival = arrivals[place];
      const verdict = verdicts[place];
      if (this.#isClosed || arrival === undefined || verdict === undefined) return;
      if (verdict.holds) this.#deliverIfWanted(arrival);
      else {
        this.#reject(arrival.from, verdict.code);
        if (verdict.code === 'bad_signature') this.#rememberFailed(arrival.key);
      }
    }
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

  /** What was wanted when its check began may have come from somebody else since. */
  #deliverIfWanted(arrival: Arrival): void {
    if (this.#ports.isWanted(arrival.message) === 'verify') this.#ports.deliver(arrival);
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
    const until = this.#ports.clock.monotonic() + BAD_MESSAGES_MILLIS;
    const bad = this.#bad.get(from) ?? { count: 0, until };
    bad.count += 1;
    this.#bad.set(from, bad);
    this.rejected++;
    this.#ports.log.debug({ from, code }, 'refused a message of a validator');
  }

  #isShunned(from: string): boolean {
    const bad = this.#bad.get(from);
    if (bad === undefined) return false;
    if (bad.until <= this.#ports.clock.monotonic()) this.#bad.delete(from);
    return bad.count >= BAD_MESSAGES_MAX && this.#bad.has(from);
  }

  #release(from: string): void {
    this.#perSender.set(from, (this.#perSender.get(from) ?? 1) - 1);
    if (this.#perSender.size > SENDERS_KEPT_MAX && this.#waiting.length === 0)
      for (const [sender, waiting] of this.#perSender)
        if (waiting === 0) this.#perSender.delete(sender);
  }
}

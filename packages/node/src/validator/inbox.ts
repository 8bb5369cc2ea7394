/**
 * Messages from other validators on their way to the machine: decoded, held against what is wanted, and only
 * then have their signatures checked, all of a turn together. What does not fit into the bounds is dropped;
 * the machine asks again for what it misses.
 */
import { hash } from 'node:crypto';
import {
  decodeMessage,
  type SignatureVerdict,
  WIRE_MESSAGE_BYTES_MAX,
  type WireContext,
  type WireMessage,
} from 'svc-finality';
import { SvcError } from 'svc-wasm/base';
import type { Log } from '../base/log.ts';
import type { VoteChecks } from '../ports/vote-checks.ts';

export interface Arrival {
  readonly from: string;
  readonly message: WireMessage;
  readonly bytes: Uint8Array;
  readonly atMillis: number;
}

/** `verify`: its signatures decide. `take`: it has none. `drop`: it is of no use now. */
export type Wanted = 'verify' | 'take' | 'drop' | 'reject';

export interface InboxPorts {
  readonly wire: WireContext;
  readonly checks: VoteChecks;
  readonly log: Log;
  readonly now: () => number;
  readonly isWanted: (message: WireMessage) => Wanted;
  readonly deliver: (arrival: Arrival) => void;
  readonly onFatal: (error: unknown) => void;
}

interface Waiting {
  readonly from: string;
  readonly bytes: Uint8Array;
  readonly atMillis: number;
}

const MESSAGES_MAX = 4_096;
const MESSAGES_PER_SENDER_MAX = 1_024;
const BYTES_MAX = 64 << 20;
/** Who sends this many bad messages in a while is not heard for as long. */
const BAD_MESSAGES_MAX = 16;
const BAD_MESSAGES_MILLIS = 10_000;
/** What is handled in one go before other work of the process has its turn. */
const BATCH_MAX = 256;

export class Inbox {
  readonly #ports: InboxPorts;
  #waiting: Waiting[] = [];
  #bytes = 0;
  readonly #perSender = new Map<string, number>();
  readonly #bad = new Map<string, { count: number; readonly until: number }>();
  /** Messages whose signatures are being checked now. */
  readonly #checking = new Set<string>();
  #isScheduled = false;
  #isClosed = false;
  dropped = 0;
  rejected = 0;

  constructor(ports: InboxPorts) {
    this.#ports = ports;
  }

  receive(from: string, bytes: Uint8Array): void {
    if (this.#isClosed) return;
    const held = this.#perSender.get(from) ?? 0;
    const fits =
      !this.#isShunned(from) &&
      bytes.length <= WIRE_MESSAGE_BYTES_MAX &&
      this.#waiting.length < MESSAGES_MAX &&
      held < MESSAGES_PER_SENDER_MAX &&
      this.#bytes + bytes.length <= BYTES_MAX;
    if (!fits) {
      this.dropped++;
      return;
    }
    this.#perSender.set(from, held + 1);
    this.#bytes += bytes.length;
    this.#waiting.push({ from, bytes, atMillis: this.#ports.now() });
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#handleBatch().catch(this.#ports.onFatal);
    });
  }

  async #handleBatch(): Promise<void> {
    if (this.#isClosed) return;
    const batch = this.#waiting.splice(0, BATCH_MAX);
    if (this.#waiting.length > 0) this.#schedule();
    const signed: Arrival[] = [];
    for (const item of batch) {
      this.#bytes -= item.bytes.length;
      this.#release(item.from);
      const arrival = this.#decode(item);
      if (arrival === undefined) continue;
      const wanted = this.#ports.isWanted(arrival.message);
      if (wanted === 'take') this.#ports.deliver(arrival);
      else if (wanted === 'verify') signed.push(arrival);
      else if (wanted === 'reject') this.#reject(arrival.from, 'not_allowed');
    }
    await this.#checkAll(signed);
  }

  /** The same message comes from several neighbours; it is checked once. */
  async #checkAll(arrivals: readonly Arrival[]): Promise<void> {
    const fresh = arrivals.filter(({ bytes }) => {
      const key = keyOf(bytes);
      if (this.#checking.has(key)) return false;
      this.#checking.add(key);
      return true;
    });
    if (fresh.length === 0) return;
    try {
      const verdicts = await this.#verdictsOf(fresh);
      fresh.forEach((arrival, place) => {
        const verdict = verdicts[place];
        if (this.#isClosed || verdict === undefined) return;
        if (verdict.holds) this.#deliverIfWanted(arrival);
        else this.#reject(arrival.from, verdict.code);
      });
    } finally {
      for (const { bytes } of fresh) this.#checking.delete(keyOf(bytes));
    }
  }

  /** Checks elsewhere may be too busy; then the messages count as lost. */
  async #verdictsOf(arrivals: readonly Arrival[]): Promise<readonly SignatureVerdict[]> {
    try {
      return await this.#ports.checks.verify(arrivals.map(({ bytes }) => bytes));
    } catch (error) {
      this.dropped += arrivals.length;
      const reason = error instanceof Error ? error.message : String(error);
      this.#ports.log.debug({ reason }, 'messages of validators could not be checked');
      return [];
    }
  }

  /** What was wanted when its check began may have come from somebody else since. */
  #deliverIfWanted(arrival: Arrival): void {
    if (this.#ports.isWanted(arrival.message) === 'verify') this.#ports.deliver(arrival);
  }

  #decode({ from, bytes, atMillis }: Waiting): Arrival | undefined {
    try {
      return { from, bytes, atMillis, message: decodeMessage(this.#ports.wire, bytes) };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      // A set that is not known here may be our own ignorance.
      if (error.code !== 'wrong_validator_set') this.#reject(from, error.code);
      return undefined;
    }
  }

  #reject(from: string, code: string): void {
    const until = this.#ports.now() + BAD_MESSAGES_MILLIS;
    const bad = this.#bad.get(from) ?? { count: 0, until };
    bad.count += 1;
    this.#bad.set(from, bad);
    this.rejected++;
    this.#ports.log.debug({ from, code }, 'refused a message of a validator');
  }

  #isShunned(from: string): boolean {
    const bad = this.#bad.get(from);
    if (bad === undefined) return false;
    if (bad.until <= this.#ports.now()) this.#bad.delete(from);
    return bad.count >= BAD_MESSAGES_MAX && this.#bad.has(from);
  }

  #release(from: string): void {
    const held = (this.#perSender.get(from) ?? 1) - 1;
    if (held === 0) this.#perSender.delete(from);
    else this.#perSender.set(from, held);
  }
}

function keyOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64');
}

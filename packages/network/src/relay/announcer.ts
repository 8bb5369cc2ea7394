/**
 * Announces new transactions and blocks to peers, in batches: an id of 48 bytes costs its own size and no message of
 * its own. Entries that are still pending after a while are announced again to every peer: a peer may have been
 * behind, full or away the first time.
 */

import type { Clock } from 'svc-base/pure';
import type { NetworkApplication } from '../application.ts';
import {
  ANNOUNCED_BLOCKS_MAX,
  ANNOUNCED_TRANSACTIONS_MAX,
  encodeAnnouncement,
  encodeTip,
  RELAY,
} from './relay-bytes.ts';
import type { RelayLink } from './relay-link.ts';

const BATCH_MILLIS = 75;
const SILENCE_MILLIS_MAX = 30_000;
/** The most transactions announced to a peer that has just connected. */
const GREETING_TRANSACTIONS_MAX = 1_024;
const GREETING_BLOCKS_MAX = 256;
/** The most ids waiting for the next batch; ids beyond are not announced. */
const PENDING_MAX = 65_536;

/** The most transactions that are announced again at a time. */
const REPEATED_MAX = 512;
/** The longest time between two announcements, in times of the first. */
const REPEAT_FACTOR_MAX = 32;

export interface AnnouncerOptions {
  readonly application: NetworkApplication;
  readonly clock: Clock;
  readonly links: () => readonly RelayLink[];
  /** A transaction that waits for so long is announced again, and then each time after twice as long. */
  readonly repeatMillis: number;
}

interface Repeat {
  readonly dueMillis: number;
  /** How long to wait after that. */
  readonly nextMillis: number;
}

export class Announcer {
  readonly #application: NetworkApplication;
  readonly #clock: Clock;
  readonly #links: () => readonly RelayLink[];
  readonly #repeatMillis: number;
  readonly #ends: (() => void)[] = [];
  #transactions: string[] = [];
  #blocks: string[] = [];
  /** When each waiting transaction is announced again, by the monotonic clock. */
  #repeats = new Map<string, Repeat>();
  #isTipNew = false;
  #cancelRepeat: (() => void) | undefined;
  #cancelBatch: (() => void) | undefined;
  #cancelSilence: (() => void) | undefined;

  constructor({ application, clock, links, repeatMillis }: AnnouncerOptions) {
    this.#application = application;
    this.#clock = clock;
    this.#links = links;
    this.#repeatMillis = repeatMillis;
  }

  start(): void {
    this.#ends.push(
      this.#application.onTransaction((id) => this.#add(this.#transactions, id)),
      this.#application.onBlock((id) => this.#add(this.#blocks, id)),
      this.#application.onCut(() => {
        this.#isTipNew = true;
        this.#batchLater();
      }),
    );
    this.#breakSilenceLater();
    this.#repeatLater();
  }

  close(): void {
    for (const end of this.#ends) end();
    this.#cancelBatch?.();
    this.#cancelSilence?.();
    this.#cancelRepeat?.();
  }

  /** Announces the tip and the best waiting ids to a peer that has just connected. */
  greet(link: RelayLink): void {
    const { tip } = this.#application;
    if (tip.height > link.peer.claimedHeight) link.channel.send(RELAY.cut, encodeTip(tip));
    const transactions = first(this.#application.pendingTransactions(), GREETING_TRANSACTIONS_MAX);
    const blocks = first(this.#application.pendingBlocks(), GREETING_BLOCKS_MAX);
    this.#announce(link, transactions, blocks);
  }

  /** Announces all pending entries to a peer again, whatever it was sent before. */
  repeat(link: RelayLink): void {
    const transactions = first(this.#application.pendingTransactions(), GREETING_TRANSACTIONS_MAX);
    const blocks = first(this.#application.pendingBlocks(), GREETING_BLOCKS_MAX);
    this.#announceAgain(link, transactions, blocks);
  }

  #add(list: string[], id: string): void {
    if (list.length < PENDING_MAX) list.push(id);
    this.#batchLater();
  }

  #batchLater(): void {
    this.#cancelBatch ??= this.#clock.after(BATCH_MILLIS, () => this.#send());
  }

  #send(): void {
    this.#cancelBatch = undefined;
    const transactions = this.#transactions.splice(0);
    const blocks = this.#blocks.splice(0);
    const { tip } = this.#application;
    for (const link of this.#links()) {
      if (this.#isTipNew && link.peer.claimedHeight < tip.height)
        link.channel.send(RELAY.cut, encodeTip(tip));
      if (!link.isSlow) this.#announce(link, transactions, blocks);
    }
    this.#isTipNew = false;
  }

  #announceAgain(
    link: RelayLink,
    transactions: readonly string[],
    blocks: readonly string[],
  ): void {
    for (const id of transactions) link.knownTransactions.delete(id);
    for (const id of blocks) link.knownBlocks.delete(id);
    this.#announce(link, transactions, blocks);
  }

  #announce(link: RelayLink, transactions: readonly string[], blocks: readonly string[]): void {
    const newTransactions = transactions.filter((id) => link.knownTransactions.add(id));
    const newBlocks = blocks.filter((id) => link.knownBlocks.add(id));
    while (newTransactions.length > 0 || newBlocks.length > 0) {
      const announcement = {
        transactions: newTransactions.splice(0, ANNOUNCED_TRANSACTIONS_MAX),
        blocks: newBlocks.splice(0, ANNOUNCED_BLOCKS_MAX),
      };
      link.channel.send(RELAY.announce, encodeAnnouncement(announcement));
    }
  }

  #repeatLater(): void {
    this.#cancelRepeat = this.#clock.after(this.#repeatMillis, () => {
      this.#repeatWaiting();
      this.#repeatLater();
    });
  }

  /** Announces again what has been pending for long enough; forgets what is not pending any more. */
  #repeatWaiting(): void {
    const now = this.#clock.monotonic();
    const repeats = new Map<string, Repeat>();
    const due: string[] = [];
    for (const id of this.#application.pendingTransactions()) {
      const known = this.#repeats.get(id);
      const isDue = known !== undefined && known.dueMillis <= now && due.length < REPEATED_MAX;
      if (isDue) due.push(id);
      repeats.set(id, isDue || known === undefined ? this.#nextRepeat(known, now) : known);
    }
    this.#repeats = repeats;
    for (const link of this.#links()) if (!link.isSlow) this.#announceAgain(link, due, []);
  }

  #nextRepeat(known: Repeat | undefined, now: number): Repeat {
    const millis = known?.nextMillis ?? 0;
    const most = REPEAT_FACTOR_MAX * this.#repeatMillis;
    return {
      dueMillis: now + millis,
      nextMillis: Math.min(most, Math.max(this.#repeatMillis, 2 * millis)),
    };
  }

  /** Keeps the streams of a stalled chain open. */
  #breakSilenceLater(): void {
    this.#cancelSilence = this.#clock.after(SILENCE_MILLIS_MAX, () => {
      const { tip } = this.#application;
      for (const { channel } of this.#links()) channel.send(RELAY.cut, encodeTip(tip));
      this.#breakSilenceLater();
    });
  }
}

function first(ids: Iterable<string>, count: number): string[] {
  const taken: string[] = [];
  for (const id of ids) {
    if (taken.length >= count) break;
    taken.push(id);
  }
  return taken;
}

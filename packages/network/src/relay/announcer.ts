/**
 * Tells peers what is new here, in batches: an id of 48 bytes costs its own size and no message of its own.
 * Nobody is told what they are known to have.
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

export class Announcer {
  readonly #application: NetworkApplication;
  readonly #clock: Clock;
  readonly #links: () => readonly RelayLink[];
  readonly #ends: (() => void)[] = [];
  #transactions: string[] = [];
  #blocks: string[] = [];
  #isTipNew = false;
  #cancelBatch: (() => void) | undefined;
  #cancelSilence: (() => void) | undefined;

  constructor(application: NetworkApplication, clock: Clock, links: () => readonly RelayLink[]) {
    this.#application = application;
    this.#clock = clock;
    this.#links = links;
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
  }

  close(): void {
    for (const end of this.#ends) end();
    this.#cancelBatch?.();
    this.#cancelSilence?.();
  }

  /** Announces the tip and the best waiting ids to a peer that has just connected. */
  greet(link: RelayLink): void {
    const { tip } = this.#application;
    if (tip.height > link.peer.claimedHeight) link.channel.send(RELAY.cut, encodeTip(tip));
    const transactions = first(this.#application.pendingTransactions(), GREETING_TRANSACTIONS_MAX);
    const blocks = first(this.#application.pendingBlocks(), GREETING_BLOCKS_MAX);
    this.#announce(link, transactions, blocks);
  }

  /** Tells a peer again what waits here, whatever it was told before. */
  repeat(link: RelayLink): void {
    const transactions = first(this.#application.pendingTransactions(), GREETING_TRANSACTIONS_MAX);
    const blocks = first(this.#application.pendingBlocks(), GREETING_BLOCKS_MAX);
    for (const id of transactions) link.knownTransactions.delete(id);
    for (const id of blocks) link.knownBlocks.delete(id);
    this.#announce(link, transactions, blocks);
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

  /** Keeps the streams of a chain that stands still open. */
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

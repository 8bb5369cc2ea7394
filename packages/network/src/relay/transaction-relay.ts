/**
 * Transactions between peers: ids are announced, what is missing is fetched, and what comes is handed to the
 * mempool. A transaction is only announced by a node that holds it.
 */
import type { NetworkApplication } from '../application.ts';
import { RecentSet } from '../base/recent-set.ts';
import type { Peer } from '../peers/peer.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import {
  decodeIds,
  decodeTransactionMessage,
  encodeIds,
  encodeTransaction,
  RELAY,
  TRANSACTIONS_PER_REQUEST_MAX,
} from './relay-bytes.ts';
import type { RelayLink } from './relay-link.ts';
import { Wanted } from './wanted.ts';

export interface TransactionRelayOptions {
  readonly application: NetworkApplication;
  readonly now: () => number;
  readonly linkOf: (peer: Peer) => RelayLink | undefined;
  readonly pumpSoon: () => void;
  readonly answerMillisMax: number;
}

const WANTED_MAX = 8_192;
const ASKED_PER_PEER_MAX = 256;
const REFUSED_MAX = 16_384;

export class TransactionRelay {
  readonly wanted: Wanted;
  readonly #options: TransactionRelayOptions;
  /** Ids that were refused lately; a new cut may change the verdict. */
  readonly #refused = new RecentSet(REFUSED_MAX);

  constructor(options: TransactionRelayOptions) {
    this.#options = options;
    this.wanted = new Wanted({
      sizeMax: WANTED_MAX,
      perPeerMax: ASKED_PER_PEER_MAX,
      perRequestMax: TRANSACTIONS_PER_REQUEST_MAX,
      timeoutMillis: options.answerMillisMax,
      now: options.now,
      ask: (peer, ids) =>
        void options.linkOf(peer)?.channel.send(RELAY.getTransactions, encodeIds(ids)),
    });
  }

  cutInstalled(): void {
    this.#refused.age();
  }

  announced(link: RelayLink, ids: readonly string[]): void {
    for (const id of ids) {
      link.knownTransactions.add(id);
      if (this.#options.application.hasTransaction(id) || this.#refused.has(id)) continue;
      this.wanted.add(id, link.peer);
    }
    this.#options.pumpSoon();
  }

  async requested(link: RelayLink, payload: Uint8Array): Promise<void> {
    const absent: string[] = [];
    for (const id of decoded(() => decodeIds(payload, TRANSACTIONS_PER_REQUEST_MAX))) {
      const wire = this.#options.application.transaction(id);
      if (wire === undefined) {
        absent.push(id);
        continue;
      }
      link.knownTransactions.add(id);
      await link.serve(RELAY.transaction, encodeTransaction(id, wire));
    }
    if (absent.length > 0) await link.serve(RELAY.absentTransactions, encodeIds(absent));
  }

  absent(link: RelayLink, payload: Uint8Array): void {
    for (const id of decoded(() => decodeIds(payload, TRANSACTIONS_PER_REQUEST_MAX)))
      this.wanted.absent(id, link.peer);
    this.#options.pumpSoon();
  }

  /** Handles an answer; a late one is ignored, since another peer was asked meanwhile. */
  received(link: RelayLink, payload: Uint8Array): Promise<void> | undefined {
    const { id, wire } = decoded(() => decodeTransactionMessage(payload));
    if (!this.wanted.isAskedOf(id, link.peer)) return undefined;
    this.wanted.settle(id);
    this.#options.pumpSoon();
    return link.check(() => this.#submit(link, id, wire));
  }

  async #submit({ peer }: RelayLink, id: string, wire: Uint8Array): Promise<void> {
    const { application } = this.#options;
    const found = await application.submitTransaction(wire, peer.id);
    if (found.id !== undefined && found.id !== id) {
      peer.reject(new PeerFault('invalid', `sent transaction ${found.id} for ${id}`));
      return;
    }
    if (found.reception === 'accepted') peer.reward(0.1);
    if (found.reception === 'accepted' || found.reception === 'known') return;
    this.#refused.add(id);
    if (found.reception === 'ignore') return;
    peer.reject(new PeerFault('invalid', `sent transaction ${id}, which nobody can accept`));
  }
}

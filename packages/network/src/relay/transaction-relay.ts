/**
 * Transactions between peers: ids are announced, what is missing is fetched, and what comes is handed to the
 * mempool. A transaction is only announced by a node that holds it.
 */
import { toHex } from 'svc-wasm/base';
import { decodeTransaction } from 'svc-wasm/protocol';
import type { NetworkApplication } from '../application.ts';
import { RecentSet } from '../base/recent-set.ts';
import type { Peer } from '../peers/peer.ts';
import { LOOKUP_BYTES } from '../peers/serving.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import { Postponed } from './postponed.ts';
import {
  decodeIds,
  decodeTransactionMessage,
  encodeIds,
  encodeTransaction,
  RELAY,
  TRANSACTIONS_PER_REQUEST_MAX,
} from './relay-bytes.ts';
import type { RelayLink } from './relay-link.ts';
import {
  RequestTracker,
  type RequestTrackerOptions,
  type RequestTrackerOptionsChange,
} from './request-tracker.ts';

export interface TransactionRelayOptions {
  readonly application: NetworkApplication;
  readonly now: () => number;
  readonly linkOf: (peer: Peer) => RelayLink | undefined;
  readonly pumpSoon: () => void;
  readonly answerMillisMax: number;
  readonly wantedOptionsOf: RequestTrackerOptionsChange;
}

const ANNOUNCED_PER_PEER_MAX = 1_024;
const ASKED_PER_PEER_MAX = 256;
const REFUSED_MAX = 16_384;

export class TransactionRelay {
  readonly wanted: RequestTracker;
  readonly #options: TransactionRelayOptions;
  /** Ids refused recently for reasons that no other copy can change. */
  readonly #refused = new RecentSet(REFUSED_MAX);
  readonly #postponed: Postponed;

  constructor(options: TransactionRelayOptions) {
    this.#options = options;
    const wantedOptions: RequestTrackerOptions = {
      announcedPerPeerMax: ANNOUNCED_PER_PEER_MAX,
      perPeerMax: ASKED_PER_PEER_MAX,
      perRequestMax: TRANSACTIONS_PER_REQUEST_MAX,
      timeoutMillis: options.answerMillisMax,
      now: options.now,
      ask: (peer, ids) =>
        void options.linkOf(peer)?.channel.send(RELAY.getTransactions, encodeIds(ids)),
      unreliability: (peer) => options.linkOf(peer)?.unreliability ?? 0,
      onUndelivered: (peer, isSilent) => options.linkOf(peer)?.undelivered(isSilent),
      onOvertaken: (peer) => options.linkOf(peer)?.overtaken(),
    };
    this.wanted = new RequestTracker(options.wantedOptionsOf(wantedOptions));
    this.#postponed = new Postponed((id, peer) => {
      if (options.application.hasTransaction(id)) this.#postponed.settle(id);
      else this.wanted.add(id, peer);
    });
  }

  cutInstalled(): void {
    this.#refused.age();
    this.#postponed.cutInstalled();
    this.#options.pumpSoon();
  }

  peerLeft(peer: Peer): void {
    this.wanted.peerLeft(peer);
    this.#postponed.peerLeft(peer);
  }

  announced(link: RelayLink, ids: readonly string[]): void {
    for (const id of ids) {
      link.knownTransactions.add(id);
      if (this.#options.application.hasTransaction(id) || this.#refused.has(id)) continue;
      if (!this.#postponed.isOf(id, link.peer)) this.wanted.add(id, link.peer);
    }
    this.#options.pumpSoon();
  }

  async requested(link: RelayLink, payload: Uint8Array): Promise<void> {
    const absent: string[] = [];
    for (const id of decoded(() => decodeIds(payload, TRANSACTIONS_PER_REQUEST_MAX))) {
      await link.serving.turn();
      const wire = this.#options.application.transaction(id);
      if (wire === undefined) {
        link.serving.charge(LOOKUP_BYTES);
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

  /** Handles an answer; one that is too late is ignored. */
  received(link: RelayLink, payload: Uint8Array): Promise<void> | undefined {
    const { id, wire } = decoded(() => decodeTransactionMessage(payload));
    if (!this.wanted.isAskedOf(id, link.peer)) return undefined;
    this.wanted.arrived(id, link.peer);
    return link.check(() => this.#submit(link, id, wire));
  }

  async #submit(link: RelayLink, id: string, wire: Uint8Array): Promise<void> {
    const { peer } = link;
    const { cuts } = this.#postponed;
    try {
      const { reception, id: found } = await this.#options.application.submitTransaction(
        wire,
        peer.id,
      );
      if (reception === 'reject')
        throw new PeerFault('invalid', `sent transaction ${id}, which no node can accept`);
      const sent = found ?? this.#idOf(wire);
      if (sent !== id) throw new PeerFault('invalid', `sent transaction ${sent} for ${id}`);
      link.delivered();
      if (reception === 'accepted') peer.reward(0.1);
      if (reception === 'ignore') this.#refused.add(id);
      this.wanted.settle(id, peer);
      if (reception !== 'later') this.#postponed.settle(id);
      else if (this.#options.linkOf(peer) === link) this.#postponed.add(id, peer, cuts);
    } catch (error) {
      // Another peer may have a good copy: the id of a transaction leaves its signatures out.
      this.wanted.absent(id, peer);
      if (!(error instanceof PeerFault)) throw error;
      peer.reject(error);
    } finally {
      this.#options.pumpSoon();
    }
  }

  #idOf(wire: Uint8Array): string {
    return decoded(() => toHex(decodeTransaction(wire, this.#options.application.manifest).id));
  }
}

/**
 * Work blocks between peers. A block travels as its header and the ids of its transactions; the receiver
 * takes these from its own mempool and asks for the rest. If the result is not what the header commits to, the
 * whole block is asked for.
 */
import type { Clock } from 'svc-base/pure';
import { decodeBlockHeader } from 'svc-wasm/protocol';
import type { BlockBytes, NetworkApplication } from '../application.ts';
import { RecentSet } from '../base/recent-set.ts';
import type { Peer } from '../peers/peer.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import { blockIdOf, commitsTo, putTogether } from './compact-block.ts';
import { Postponed } from './postponed.ts';
import {
  BLOCKS_PER_REQUEST_MAX,
  type CompactBlock,
  decodeBlockTransactions,
  decodeCompactBlock,
  decodeFullBlock,
  decodeIds,
  encodeBlockRequest,
  encodeIds,
  ID_BYTES,
  RELAY,
} from './relay-bytes.ts';
import type { RelayLink } from './relay-link.ts';
import {
  RequestTracker,
  type RequestTrackerOptions,
  type RequestTrackerOptionsChange,
} from './request-tracker.ts';

export interface BlockRelayOptions {
  readonly application: NetworkApplication;
  readonly now: () => number;
  readonly after: Clock['after'];
  readonly linkOf: (peer: Peer) => RelayLink | undefined;
  readonly links: () => readonly RelayLink[];
  readonly pumpSoon: () => void;
  readonly answerMillisMax: number;
  readonly wantedOptionsOf: RequestTrackerOptionsChange;
}

/** A block of which transactions are still missing. */
interface Assembly {
  readonly compact: CompactBlock;
  readonly wires: (Uint8Array | undefined)[];
}

const ANNOUNCED_PER_PEER_MAX = 512;
const ASKED_PER_PEER_MAX = 32;
/** Requests of the node itself do not queue behind announcements of peers. */
const FETCHED_PER_PEER_MAX = 4_096;
/** Timeout for a block that the node itself requests: other work waits for it. */
const FETCH_MILLIS_MAX = 1_000;
const REFUSED_MAX = 2_048;
/** An anchor that is this far above the tip shows that this node is behind; the block can wait. */
const ANCHOR_AHEAD_MAX = 2;

export class BlockRelay {
  /** Blocks that peers announced. */
  readonly #announced: RequestTracker;
  /** Blocks that the node itself asked for. */
  readonly #fetched: RequestTracker;
  readonly #postponed: Postponed;
  readonly #options: BlockRelayOptions;
  /** By block and by the peer that sends it: the same block may be requested from several. */
  readonly #assemblies = new Map<string, Map<Peer, Assembly>>();
  readonly #refused = new RecentSet(REFUSED_MAX);
  readonly #collectors = new Map<string, Set<(block: BlockBytes | undefined) => void>>();

  constructor(options: BlockRelayOptions) {
    this.#options = options;
    const { linkOf, now, answerMillisMax, wantedOptionsOf } = options;
    const wanted = (given: RequestTrackerOptions): RequestTracker =>
      new RequestTracker(wantedOptionsOf(given));
    const shared = {
      perPeerMax: ASKED_PER_PEER_MAX,
      perRequestMax: BLOCKS_PER_REQUEST_MAX,
      now,
      ask: (peer: Peer, ids: readonly string[]) =>
        void linkOf(peer)?.channel.send(RELAY.getBlocks, encodeIds(ids)),
      unreliability: (peer: Peer) => linkOf(peer)?.unreliability ?? 0,
      onOvertaken: (peer: Peer) => linkOf(peer)?.overtaken(),
    };
    this.#announced = wanted({
      ...shared,
      announcedPerPeerMax: ANNOUNCED_PER_PEER_MAX,
      timeoutMillis: answerMillisMax,
      onUndelivered: (peer, isSilent) => linkOf(peer)?.undelivered(isSilent),
      onGivenUp: (id) => this.#assemblies.delete(id),
    });
    this.#fetched = wanted({
      ...shared,
      announcedPerPeerMax: FETCHED_PER_PEER_MAX,
      timeoutMillis: Math.min(answerMillisMax, FETCH_MILLIS_MAX),
      onGivenUp: (id) => this.#forget(id),
    });
    this.#postponed = new Postponed((id, peer) => {
      if (options.application.hasBlock(id)) this.#postponed.settle(id);
      else this.#announced.add(id, peer);
    });
  }

  get queued(): number {
    return this.#announced.size + this.#fetched.size;
  }

  pump(): void {
    this.#fetched.pump();
    this.#announced.pump();
  }

  expire(): void {
    this.#fetched.expire();
    this.#announced.expire();
  }

  cutInstalled(): void {
    this.#refused.age();
    this.#postponed.cutInstalled();
    this.#options.pumpSoon();
  }

  announced(link: RelayLink, ids: readonly string[]): void {
    for (const id of ids) {
      link.knownBlocks.add(id);
      if (this.#options.application.hasBlock(id) || this.#refused.has(id)) continue;
      if (this.#fetched.has(id)) this.#fetched.add(id, link.peer);
      else if (!this.#postponed.isOf(id, link.peer)) this.#announced.add(id, link.peer);
    }
    this.#options.pumpSoon();
  }

  /** Asks every peer in turn for blocks by id; resolves with those that came in time. */
  async fetch(ids: readonly string[], timeoutMillis: number): Promise<BlockBytes[]> {
    const links = [...this.#options.links()].sort((a, b) => b.peer.score - a.peer.score);
    const fetched = await Promise.all(
      ids.map((id) => {
        const arrival = this.#collect(id, timeoutMillis);
        this.#announced.settle(id);
        for (const { peer } of links) this.#fetched.add(id, peer);
        if (!this.#fetched.has(id)) this.#forget(id);
        this.#options.pumpSoon();
        return arrival;
      }),
    );
    return fetched.filter((block) => block !== undefined);
  }

  absent(link: RelayLink, payload: Uint8Array): void {
    for (const id of decoded(() => decodeIds(payload, BLOCKS_PER_REQUEST_MAX)))
      for (const wanted of [this.#fetched, this.#announced]) wanted.absent(id, link.peer);
    this.#options.pumpSoon();
  }

  compact(link: RelayLink, payload: Uint8Array): Promise<void> | undefined {
    const compact = decoded(() => decodeCompactBlock(payload));
    const id = blockIdOf(compact.header);
    if (!this.#isAskedOf(id, link.peer)) return undefined;
    if (!this.#isTimely(compact.header) && !this.#collectors.has(id)) {
      link.delivered();
      this.#announced.settle(id, link.peer);
      this.#assemblies.delete(id);
      this.#postponed.add(id, link.peer, this.#postponed.cuts);
      return undefined;
    }
    const { application } = this.#options;
    const wires = compact.transactionIds.map((one) => application.transaction(one));
    const missing = wires.flatMap((wire, index) => (wire === undefined ? [index] : []));
    const assembly = { compact, wires };
    if (missing.length === 0) return this.#finish(link, id, assembly);
    const assemblies = this.#assemblies.get(id) ?? new Map<Peer, Assembly>();
    this.#assemblies.set(id, assemblies.set(link.peer, assembly));
    this.#extend(id, link.peer);
    link.channel.send(RELAY.getBlockTransactions, encodeBlockRequest(id, missing));
    return undefined;
  }

  transactions(link: RelayLink, payload: Uint8Array): Promise<void> | undefined {
    const { blockId, wires } = decoded(() => decodeBlockTransactions(payload));
    const assembly = this.#assemblies.get(blockId)?.get(link.peer);
    if (assembly === undefined || !this.#isAskedOf(blockId, link.peer)) return undefined;
    const missing = assembly.wires.flatMap((wire, index) => (wire === undefined ? [index] : []));
    // A peer that was asked twice answers the first question too, and less may have been missing at the second.
    if (wires.length !== missing.length) return this.#askForAll(link, blockId);
    missing.forEach((index, at) => {
      assembly.wires[index] = wires[at];
    });
    return this.#finish(link, blockId, assembly);
  }

  full(link: RelayLink, payload: Uint8Array): Promise<void> | undefined {
    const { header, body } = decoded(() => decodeFullBlock(payload));
    const id = blockIdOf(header);
    if (!this.#isAskedOf(id, link.peer)) return undefined;
    const { manifest } = this.#options.application;
    if (!decoded(() => commitsTo(header, body, manifest)))
      throw new PeerFault(
        'invalid',
        `the body of block ${id} is not the one its header commits to`,
      );
    return this.#arrived(link, { id, header, body });
  }

  peerLeft(peer: Peer): void {
    for (const wanted of [this.#fetched, this.#announced]) wanted.peerLeft(peer);
    this.#postponed.peerLeft(peer);
    for (const id of this.#assemblies.keys()) this.#stopAssembling(id, peer);
  }

  #isAskedOf(id: string, peer: Peer): boolean {
    return this.#fetched.isAskedOf(id, peer) || this.#announced.isAskedOf(id, peer);
  }

  #extend(id: string, peer: Peer): void {
    for (const wanted of [this.#fetched, this.#announced]) wanted.extend(id, peer);
  }

  #stopAssembling(id: string, peer: Peer): void {
    const assemblies = this.#assemblies.get(id);
    assemblies?.delete(peer);
    if (assemblies?.size === 0) this.#assemblies.delete(id);
  }

  #finish(link: RelayLink, id: string, assembly: Assembly): Promise<void> | undefined {
    const { manifest } = this.#options.application;
    const { compact } = assembly;
    const wires = assembly.wires.filter((wire) => wire !== undefined);
    const body = putTogether(compact, wires, manifest);
    if (body === undefined) return this.#askForAll(link, id);
    this.#stopAssembling(id, link.peer);
    return this.#arrived(link, { id, header: compact.header, body });
  }

  /** The assembled block does not match: nothing is proven against the peer before it has sent all of it. */
  #askForAll(link: RelayLink, id: string): undefined {
    this.#stopAssembling(id, link.peer);
    this.#extend(id, link.peer);
    link.channel.send(RELAY.getFullBlock, encodeIds([id]).subarray(-ID_BYTES));
  }

  #arrived(link: RelayLink, block: BlockBytes): Promise<void> | undefined {
    for (const wanted of [this.#fetched, this.#announced]) wanted.settle(block.id, link.peer);
    this.#assemblies.delete(block.id);
    link.delivered();
    link.knownBlocks.add(block.id);
    for (const resolve of this.#collectors.get(block.id) ?? []) resolve(block);
    this.#options.pumpSoon();
    return link.check(() => this.#submit(link, block));
  }

  async #submit(link: RelayLink, { id, header, body }: BlockBytes): Promise<void> {
    const { peer } = link;
    const { cuts } = this.#postponed;
    const reception = await this.#options.application.submitBlock(header, body, peer.id);
    if (reception === 'accepted') peer.reward(1);
    if (reception !== 'later') this.#postponed.settle(id);
    else if (this.#options.linkOf(peer) === link) this.#postponed.add(id, peer, cuts);
    if (reception !== 'reject' && reception !== 'no_work' && reception !== 'ignore') return;
    this.#refused.add(id);
    if (reception === 'ignore') return;
    const kind = reception === 'no_work' ? 'noWork' : 'invalid';
    peer.reject(new PeerFault(kind, `sent block ${id}, which no node can accept`));
  }

  /** Checks the header's bytes against the own tip, before anything is requested. */
  #isTimely(header: Uint8Array): boolean {
    const { application } = this.#options;
    const { chainId } = application.manifest;
    const { anchorHeight, registrationWindowEnd } = decoded(() =>
      decodeBlockHeader(header, chainId),
    );
    const tip = BigInt(application.tip.height);
    return anchorHeight <= tip + BigInt(ANCHOR_AHEAD_MAX) && registrationWindowEnd > tip;
  }

  #collect(id: string, timeoutMillis: number): Promise<BlockBytes | undefined> {
    return new Promise((resolve) => {
      const waiting = this.#collectors.get(id) ?? new Set();
      const done = (block: BlockBytes | undefined): void => {
        cancel();
        waiting.delete(done);
        if (waiting.size === 0) this.#collectors.delete(id);
        resolve(block);
      };
      const cancel = this.#options.after(timeoutMillis, () => done(undefined));
      waiting.add(done);
      this.#collectors.set(id, waiting);
    });
  }

  #forget(id: string): void {
    this.#assemblies.delete(id);
    for (const resolve of this.#collectors.get(id) ?? []) resolve(undefined);
  }
}

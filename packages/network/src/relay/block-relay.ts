/**
 * Work blocks between peers. A block travels as its header and the ids of its transactions; the receiver
 * takes these from its own mempool and asks for the rest. If the result is not what the header commits to, the
 * whole block is asked for.
 */
import { decodeBlockHeader } from 'svc-wasm/protocol';
import type { BlockBytes, NetworkApplication } from '../application.ts';
import { RecentSet } from '../base/recent-set.ts';
import type { Peer } from '../peers/peer.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import { blockIdOf, commitsTo, putTogether } from './compact-block.ts';
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
import { Wanted } from './wanted.ts';

export interface BlockRelayOptions {
  readonly application: NetworkApplication;
  readonly now: () => number;
  readonly linkOf: (peer: Peer) => RelayLink | undefined;
  readonly links: () => readonly RelayLink[];
  readonly pumpSoon: () => void;
  readonly answerMillisMax: number;
}

/** A block of which transactions are still missing. */
interface Assembly {
  readonly peer: Peer;
  readonly compact: CompactBlock;
  readonly wires: (Uint8Array | undefined)[];
}

const WANTED_MAX = 1_024;
const ASKED_PER_PEER_MAX = 32;
const REFUSED_MAX = 2_048;
/** An anchor that is this far above the tip shows that this node is behind; the block can wait. */
const ANCHOR_AHEAD_MAX = 2;

export class BlockRelay {
  readonly wanted: Wanted;
  readonly #options: BlockRelayOptions;
  readonly #assemblies = new Map<string, Assembly>();
  readonly #refused = new RecentSet(REFUSED_MAX);
  readonly #collectors = new Map<string, Set<(block: BlockBytes | undefined) => void>>();

  constructor(options: BlockRelayOptions) {
    this.#options = options;
    this.wanted = new Wanted({
      sizeMax: WANTED_MAX,
      perPeerMax: ASKED_PER_PEER_MAX,
      perRequestMax: BLOCKS_PER_REQUEST_MAX,
      timeoutMillis: options.answerMillisMax,
      now: options.now,
      ask: (peer, ids) => void options.linkOf(peer)?.channel.send(RELAY.getBlocks, encodeIds(ids)),
      onGivenUp: (id) => this.#forget(id),
    });
  }

  get queued(): number {
    return this.wanted.size;
  }

  cutInstalled(): void {
    this.#refused.age();
  }

  announced(link: RelayLink, ids: readonly string[]): void {
    for (const id of ids) {
      link.knownBlocks.add(id);
      if (this.#options.application.hasBlock(id) || this.#refused.has(id)) continue;
      this.wanted.add(id, link.peer);
    }
    this.#options.pumpSoon();
  }

  /** Asks every peer in turn for blocks by id; resolves with those that came in time. */
  async fetch(ids: readonly string[], timeoutMillis: number): Promise<BlockBytes[]> {
    const links = [...this.#options.links()].sort((a, b) => b.peer.score - a.peer.score);
    const fetched = await Promise.all(
      ids.map((id) => {
        const arrival = this.#collect(id, timeoutMillis);
        for (const { peer } of links) this.wanted.add(id, peer);
        if (!this.wanted.has(id)) this.#forget(id);
        this.#options.pumpSoon();
        return arrival;
      }),
    );
    return fetched.filter((block) => block !== undefined);
  }

  absent(link: RelayLink, payload: Uint8Array): void {
    for (const id of decoded(() => decodeIds(payload, BLOCKS_PER_REQUEST_MAX)))
      this.wanted.absent(id, link.peer);
    this.#options.pumpSoon();
  }

  compact(link: RelayLink, payload: Uint8Array): Promise<void> | undefined {
    const compact = decoded(() => decodeCompactBlock(payload));
    const id = blockIdOf(compact.header);
    if (!this.wanted.isAskedOf(id, link.peer)) return undefined;
    if (!this.#isTimely(compact.header) && !this.#collectors.has(id)) {
      this.wanted.settle(id);
      return undefined;
    }
    const { application } = this.#options;
    const wires = compact.transactionIds.map((one) => application.transaction(one));
    const missing = wires.flatMap((wire, index) => (wire === undefined ? [index] : []));
    const assembly = { peer: link.peer, compact, wires };
    if (missing.length === 0) return this.#finish(link, id, assembly);
    this.#assemblies.set(id, assembly);
    this.wanted.extend(id);
    link.channel.send(RELAY.getBlockTransactions, encodeBlockRequest(id, missing));
    return undefined;
  }

  transactions(link: RelayLink, payload: Uint8Array): Promise<void> | undefined {
    const { blockId, wires } = decoded(() => decodeBlockTransactions(payload));
    const assembly = this.#assemblies.get(blockId);
    if (assembly?.peer !== link.peer || !this.wanted.isAskedOf(blockId, link.peer))
      return undefined;
    const missing = assembly.wires.flatMap((wire, index) => (wire === undefined ? [index] : []));
    if (wires.length !== missing.length)
      throw new PeerFault('invalid', `expected ${missing.length} transactions of ${blockId}`);
    missing.forEach((index, at) => {
      assembly.wires[index] = wires[at];
    });
    return this.#finish(link, blockId, assembly);
  }

  full(link: RelayLink, payload: Uint8Array): Promise<void> | undefined {
    const { header, body } = decoded(() => decodeFullBlock(payload));
    const id = blockIdOf(header);
    if (!this.wanted.isAskedOf(id, link.peer)) return undefined;
    const { manifest } = this.#options.application;
    if (!decoded(() => commitsTo(header, body, manifest)))
      throw new PeerFault(
        'invalid',
        `the body of block ${id} is not the one its header commits to`,
      );
    return this.#arrived(link, { id, header, body });
  }

  peerLeft(peer: Peer): void {
    this.wanted.peerLeft(peer);
    for (const [id, assembly] of this.#assemblies)
      if (assembly.peer === peer) this.#assemblies.delete(id);
  }

  #finish(link: RelayLink, id: string, assembly: Assembly): Promise<void> | undefined {
    const { manifest } = this.#options.application;
    const { compact } = assembly;
    this.#assemblies.delete(id);
    const wires = assembly.wires.filter((wire) => wire !== undefined);
    const body = decoded(() => putTogether(compact, wires, manifest));
    if (body !== undefined) return this.#arrived(link, { id, header: compact.header, body });
    this.wanted.extend(id);
    link.channel.send(RELAY.getFullBlock, encodeIds([id]).subarray(-ID_BYTES));
    return undefined;
  }

  #arrived(link: RelayLink, block: BlockBytes): Promise<void> | undefined {
    this.wanted.settle(block.id);
    link.knownBlocks.add(block.id);
    for (const resolve of this.#collectors.get(block.id) ?? []) resolve(block);
    this.#options.pumpSoon();
    return link.check(() => this.#submit(link.peer, block));
  }

  async #submit(peer: Peer, { id, header, body }: BlockBytes): Promise<void> {
    const reception = await this.#options.application.submitBlock(header, body, peer.id);
    if (reception === 'accepted') peer.reward(1);
    if (reception === 'accepted' || reception === 'known') return;
    this.#refused.add(id);
    if (reception === 'ignore') return;
    const kind = reception === 'no_work' ? 'noWork' : 'invalid';
    peer.reject(new PeerFault(kind, `sent block ${id}, which nobody can accept`));
  }

  /** Checks what the header's bytes and the own tip tell, before anything is asked for. */
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
        clearTimeout(timer);
        waiting.delete(done);
        if (waiting.size === 0) this.#collectors.delete(id);
        resolve(block);
      };
      const timer = setTimeout(done, timeoutMillis, undefined);
      waiting.add(done);
      this.#collectors.set(id, waiting);
    });
  }

  #forget(id: string): void {
    this.#assemblies.delete(id);
    for (const resolve of this.#collectors.get(id) ?? []) resolve(undefined);
  }
}

/**
 * Asks peers for cuts that a node once had and has lost: headers, bodies, certificates, validator sets and blocks of
 * any height. Each is requested from one peer after another until one has it. Headers, certificates and their claims
 * about the chain are not checked here: the caller knows the ids to compare them with.
 */
import type { Clock, Log } from 'svc-base/pure';
import { HEADERS_PER_REQUEST_MAX } from 'svc-consensus/machine';
import { decodeCutHeader, type ValidatorSet } from 'svc-wasm/protocol';
import type { BlockBytes, NetworkApplication } from '../application.ts';
import type { Peers } from '../peers/peers.ts';
import { askInTurn } from './ask-in-turn.ts';
import type { SyncTiming } from './sync.ts';
import type { SyncPeer } from './sync-peer.ts';
import { SyncPeers } from './sync-peers.ts';
import { readHeader } from './verified-headers.ts';

export interface PastFetchPorts {
  readonly application: NetworkApplication;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing: Pick<SyncTiming, 'silenceMillisMax' | 'answerMillisMax'>;
}

/** Headers requested below the wanted one, since losses are usually adjacent. */
const HEADERS_BELOW = 63;

export class PastFetch {
  readonly #ports: PastFetchPorts;
  readonly #sources: SyncPeers;
  readonly #ends: (() => void)[] = [];
  readonly #headers = new Map<number, Uint8Array>();

  constructor(ports: PastFetchPorts) {
    this.#ports = ports;
    const { peers } = ports;
    const sources = new SyncPeers({ ...ports, ...ports.timing });
    this.#sources = sources;
    this.#ends.push(
      peers.joined.on((peer) => sources.joined(peer)),
      peers.left.on((peer) => sources.left(peer)),
    );
    for (const peer of peers.list()) sources.joined(peer);
  }

  close(): void {
    for (const end of this.#ends) end();
  }

  async header(height: number): Promise<Uint8Array | undefined> {
    const known = this.#headers.get(height);
    if (known !== undefined) return known;
    this.#headers.clear();
    const from = Math.max(1, height - HEADERS_BELOW);
    await this.#ask(height, false, async (source) => {
      const range = await source.headers(from, HEADERS_PER_REQUEST_MAX);
      for (const header of range?.headers ?? [])
        this.#headers.set(Number(decodeCutHeader(header).height), header);
      if (!this.#headers.has(height)) {
        const cut = await source.cut(height);
        if (cut !== undefined) this.#headers.set(height, cut.header);
      }
      return this.#headers.get(height);
    });
    return this.#headers.get(height);
  }

  /** The body that belongs to a header. */
  cutBody(height: number, header: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#ask(height, true, async (source) => {
      let found: Uint8Array | undefined;
      await source.bodies([readHeader(header)], (_, { bytes }) => {
        found = bytes;
      });
      return found;
    });
  }

  certificate(height: number): Promise<Uint8Array | undefined> {
    return this.#ask(height, false, async (source) => {
      const range = await source.headers(height, 1);
      return range?.certificate;
    });
  }

  validatorSet(setId: string): Promise<ValidatorSet | undefined> {
    return this.#ask(undefined, false, (source) => source.validatorSet(setId));
  }

  /** Those of the blocks that some peer has. */
  async blocks(ids: readonly string[]): Promise<readonly BlockBytes[]> {
    const found = new Map<string, BlockBytes>();
    await this.#ask(undefined, false, async (source) => {
      const missing = ids.filter((id) => !found.has(id));
      await source.blocks(missing, (block) => void found.set(block.id, block));
      return ids.every((id) => found.has(id)) ? true : undefined;
    });
    return [...found.values()];
  }

  #ask<T>(
    height: number | undefined,
    hasBlocks: boolean,
    request: (source: SyncPeer) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { clock } = this.#ports;
    return askInTurn({ sources: this.#sources, clock }, { height, hasBlocks }, request);
  }
}

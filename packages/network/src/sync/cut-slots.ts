/**
 * Cuts between the tip and the proven headers while their bodies and blocks are on the way. How many there are
 * is bounded by number and by the bytes that their headers announce.
 */
import type { BlockBytes, CutToInstall, NetworkApplication } from '../application.ts';
import type { CutBodyBytes } from './sync-peer.ts';
import type { VerifiedHeader, VerifiedHeaders } from './verified-headers.ts';

export interface CutSlot {
  readonly header: VerifiedHeader;
  body: CutBodyBytes | undefined;
  /** Blocks that are neither here nor in the node. */
  readonly missing: Set<string>;
  readonly blocks: Map<string, BlockBytes>;
}

/** The most slots: more than a second of work for the node. Every turn walks through them. */
const CUTS_MAX = 256;
const BYTES_MAX = 67_108_864;

export class CutSlots {
  readonly #application: NetworkApplication;
  readonly #headers: VerifiedHeaders;
  readonly #slots = new Map<number, CutSlot>();

  constructor(application: NetworkApplication, headers: VerifiedHeaders) {
    this.#application = application;
    this.#headers = headers;
  }

  get size(): number {
    return this.#slots.size;
  }

  get(height: number): CutSlot | undefined {
    return this.#slots.get(height);
  }

  /** Slots in the order of heights, after making room for what may be fetched now. */
  window(): CutSlot[] {
    const { height: tip } = this.#application.tip;
    for (const height of this.#slots.keys()) if (height <= tip) this.#slots.delete(height);
    const window: CutSlot[] = [];
    let bytes = 0;
    for (let height = tip + 1; window.length < CUTS_MAX && bytes < BYTES_MAX; height++) {
      const header = this.#headers.at(height);
      if (header === undefined) break;
      bytes += header.fields.registeredBytes;
      window.push(this.#slotOf(header));
    }
    return window;
  }

  setBody(header: VerifiedHeader, body: CutBodyBytes): void {
    const slot = this.#slotOf(header);
    if (slot.body !== undefined) return;
    slot.body = body;
    for (const id of body.blockIds) if (!this.#application.hasBlock(id)) slot.missing.add(id);
  }

  /** Blocks that the node had are gone: all that did not come from peers are asked for. */
  refetch(height: number): void {
    const slot = this.#slots.get(height);
    for (const id of slot?.body?.blockIds ?? [])
      if (slot?.blocks.has(id) === false) slot.missing.add(id);
  }

  /** Gives a block to the slots that wait for it. */
  setBlock(block: BlockBytes): void {
    for (const slot of this.#slots.values())
      if (slot.missing.delete(block.id)) slot.blocks.set(block.id, block);
  }

  /** The cut, if everything of it is here. */
  complete(height: number, certificate: Uint8Array | null): CutToInstall | undefined {
    const slot = this.#slots.get(height);
    if (slot?.body === undefined || slot.missing.size > 0) return undefined;
    const { bytes: header, cutId } = slot.header;
    const { bytes: body } = slot.body;
    return { height, cutId, header, body, certificate, blocks: [...slot.blocks.values()] };
  }

  #slotOf(header: VerifiedHeader): CutSlot {
    const existing = this.#slots.get(header.height);
    if (existing?.header.cutId === header.cutId) return existing;
    const slot: CutSlot = {
      header,
      body: undefined,
      missing: new Set(),
      blocks: new Map(),
    };
    this.#slots.set(header.height, slot);
    return slot;
  }
}

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

/** The most slots: about half a second of work for a node that is far behind. Turns walk through them. */
const CUTS_MAX = 512;
/**
 * Nearly half a second of 6,700 payments a second: enough for peers on another continent. More would only wait here.
 */
const BYTES_MAX = 16_777_216;

export class CutSlots {
  readonly #application: NetworkApplication;
  readonly #headers: VerifiedHeaders;
  readonly #slots = new Map<number, CutSlot>();
  /** Heights of the slots that wait for a block, by its id; a slot that is gone may still be named. */
  readonly #waiting = new Map<string, number[]>();

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

  /** Drops the slots of cuts that are part of the chain now. */
  forgetInstalled(): void {
    const { height: tip } = this.#application.tip;
    for (const height of this.#slots.keys()) if (height <= tip) this.#drop(height);
  }

  /** Slots in the order of heights, those that may be fetched now among them. */
  window(): CutSlot[] {
    const { height: tip } = this.#application.tip;
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
    for (const id of body.blockIds) if (!this.#application.hasBlock(id)) this.#await(slot, id);
  }

  /** Blocks that the node had are gone: all that did not come from peers are asked for. */
  refetch(height: number): void {
    const slot = this.#slots.get(height);
    for (const id of slot?.body?.blockIds ?? [])
      if (slot?.blocks.has(id) === false) this.#await(slot, id);
  }

  /** Gives a block to the slots that wait for it. */
  setBlock(block: BlockBytes): void {
    for (const height of this.#waiting.get(block.id) ?? []) {
      const slot = this.#slots.get(height);
      if (slot?.missing.delete(block.id) === true) slot.blocks.set(block.id, block);
    }
    this.#waiting.delete(block.id);
  }

  #await(slot: CutSlot, id: string): void {
    slot.missing.add(id);
    const heights = this.#waiting.get(id) ?? [];
    heights.push(slot.header.height);
    this.#waiting.set(id, heights);
  }

  /** Forgets a slot, and what it still waits for. */
  #drop(height: number): void {
    for (const id of this.#slots.get(height)?.missing ?? []) {
      const others = this.#waiting.get(id)?.filter((one) => one !== height) ?? [];
      if (others.length > 0) this.#waiting.set(id, others);
      else this.#waiting.delete(id);
    }
    this.#slots.delete(height);
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

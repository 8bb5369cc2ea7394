/**
 * Gets what the proven headers name: bodies of cuts, then their blocks, from several peers at once. Each request costs
 * both sides a message and its encryption, so cuts that are not needed soon are asked for many at a time. What holds
 * up the next cut is asked of one more peer each time that patience ends, up to a limit.
 */
import type { Clock } from 'svc-base/pure';
import type { CutSlot, CutSlots } from './cut-slots.ts';
import { BLOCKS_PER_REQUEST_MAX, BODIES_PER_REQUEST_MAX } from './sync-bytes.ts';
import type { SyncPeer } from './sync-peer.ts';
import type { SyncPeers } from './sync-peers.ts';

export interface BodySyncOptions {
  readonly slots: CutSlots;
  readonly sources: SyncPeers;
  readonly clock: Clock;
  /** After this time the next cut is asked of one more peer. */
  readonly impatienceMillis: number;
  readonly onChange: () => void;
}

/** Blocks of about so many bytes are asked for at a time: sixteen full ones. */
const BLOCK_BYTES_PER_TASK = 1_048_576;
/**
 * What this many cuts after the tip lack is asked for at once. Requests for later cuts wait until they are full: peers
 * would be asked for each cut as soon as the window reaches it.
 */
const URGENT_CUTS = 128;
/** The most blocks that are asked of one more peer because they are late. */
const LATE_BLOCKS_MAX = 16;
/** The most peers that are asked for the same thing at once. */
const ASKED_MAX = 8;

/** The peers asked for one thing, and when the last of them was. */
interface Asked {
  readonly of: Set<SyncPeer>;
  sinceMillis: number;
}

interface BlockTask {
  readonly ids: string[];
  readonly height: number;
  readonly except: ReadonlySet<SyncPeer>;
}

export class BodySync {
  readonly #options: BodySyncOptions;
  /** Requests under way, by the id of the block or of the cut whose body is asked for. */
  readonly #asked = new Map<string, Asked>();

  constructor(options: BodySyncOptions) {
    this.#options = options;
  }

  /** Starts all requests that can be made now. */
  turn(): void {
    const { slots, sources } = this.#options;
    slots.forgetInstalled();
    // Every arriving body and block schedules a turn, and usually all peers are busy then.
    if (!sources.hasFree) return;
    const window = slots.window();
    while (this.#startBlocks(window) || this.#startBodies(window));
  }

  #startBodies(window: readonly CutSlot[]): boolean {
    const { slots, sources } = this.#options;
    const run = this.#bodiesToAsk(window);
    const [first] = run;
    if (first === undefined) return false;
    const headers = run.map(({ header }) => header);
    const lastHeight = Math.max(...headers.map(({ height }) => height));
    const source = sources.pick(lastHeight, true, this.#asked.get(first.header.cutId)?.of);
    if (source === undefined) return false;
    const ids = headers.map(({ cutId }) => cutId);
    this.#record(ids, source);
    this.#ask(source, ids, async () => {
      let isOfUse = false;
      await source.bodies(headers, (header, body) => {
        slots.setBody(header, body);
        isOfUse = true;
        this.#options.onChange();
      });
      return isOfUse;
    });
    return true;
  }

  /** The body that delays the next cut, else the lowest ones that are not requested yet. */
  #bodiesToAsk(window: readonly CutSlot[]): CutSlot[] {
    const [next] = window;
    if (next?.body === undefined && next !== undefined && this.#isLate(next.header.cutId))
      return [next];
    const isOpen = ({ body, header }: CutSlot): boolean =>
      body === undefined && !this.#asked.has(header.cutId);
    const first = window.findIndex(isOpen);
    if (first === -1) return [];
    const candidates = window.slice(first, first + BODIES_PER_REQUEST_MAX);
    const end = candidates.findIndex((slot) => !isOpen(slot));
    const run = end === -1 ? candidates : candidates.slice(0, end);
    return first < URGENT_CUTS || run.length === BODIES_PER_REQUEST_MAX ? run : [];
  }

  #startBlocks(window: readonly CutSlot[]): boolean {
    const { slots, sources } = this.#options;
    const found = this.#blocksToAsk(window);
    if (found === undefined) return false;
    const { ids, height, except } = found;
    const source = sources.pick(height, true, except);
    if (source === undefined) return false;
    this.#record(ids, source);
    this.#ask(source, ids, async () => {
      let isOfUse = false;
      await source.blocks(ids, (block) => {
        isOfUse = true;
        slots.setBlock(block);
        this.#options.onChange();
      });
      return isOfUse;
    });
    return true;
  }

  #ask(source: SyncPeer, ids: readonly string[], request: () => Promise<boolean>): void {
    const { sources } = this.#options;
    void sources
      .ask(source, async () => {
        if (!(await request())) return undefined;
        sources.delivered(source);
        return true;
      })
      .finally(() => {
        for (const id of ids) this.#release(id, source);
        this.#options.onChange();
      });
  }

  #record(ids: readonly string[], source: SyncPeer): void {
    const now = this.#options.clock.monotonic();
    for (const id of ids) {
      const asked = this.#asked.get(id);
      if (asked === undefined) this.#asked.set(id, { of: new Set([source]), sinceMillis: now });
      else {
        asked.of.add(source);
        asked.sinceMillis = now;
      }
    }
  }

  #release(id: string, source: SyncPeer): void {
    const asked = this.#asked.get(id);
    asked?.of.delete(source);
    if (asked?.of.size === 0) this.#asked.delete(id);
  }

  #isLate(id: string): boolean {
    const { clock, impatienceMillis } = this.#options;
    const asked = this.#asked.get(id);
    if (asked === undefined || asked.of.size >= ASKED_MAX) return false;
    return asked.sinceMillis <= clock.monotonic() - impatienceMillis;
  }

  /** Those of the next cut if they are late, else the lowest blocks that are not requested yet. */
  #blocksToAsk(window: readonly CutSlot[]): BlockTask | undefined {
    const late = this.#lateBlocks(window[0]);
    if (late !== undefined) return late;
    const ids: string[] = [];
    let [height, bytes, isUrgent] = [0, 0, false];
    for (const [place, slot] of window.entries()) {
      for (const id of slot.missing) {
        if (this.#asked.has(id)) continue;
        ids.push(id);
        height = slot.header.height;
        bytes += blockBytesOf(slot);
        isUrgent ||= place < URGENT_CUTS;
        if (ids.length === BLOCKS_PER_REQUEST_MAX || bytes >= BLOCK_BYTES_PER_TASK)
          return { ids, height, except: new Set() };
      }
    }
    return isUrgent ? { ids, height, except: new Set() } : undefined;
  }

  #lateBlocks(slot: CutSlot | undefined): BlockTask | undefined {
    if (slot === undefined) return undefined;
    const except = new Set<SyncPeer>();
    const ids = [...slot.missing].filter((id) => this.#isLate(id)).slice(0, LATE_BLOCKS_MAX);
    for (const id of ids) for (const source of this.#asked.get(id)?.of ?? []) except.add(source);
    return ids.length === 0 ? undefined : { ids, height: slot.header.height, except };
  }
}

/** What a block of the cut has on average, as its header and body announce. */
function blockBytesOf({ header, body }: CutSlot): number {
  return header.fields.registeredBytes / Math.max(1, body?.blockIds.length ?? 0);
}

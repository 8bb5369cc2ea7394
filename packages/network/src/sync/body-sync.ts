/**
 * Gets what the proven headers name: bodies of cuts, then their blocks, from several peers at once. What holds
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

/** About a megabyte of full blocks. */
const BLOCKS_PER_TASK_MAX = Math.min(16, BLOCKS_PER_REQUEST_MAX);
const BODIES_PER_TASK_MAX = Math.min(32, BODIES_PER_REQUEST_MAX);
/** The most peers that are asked for the same thing at once. */
const ASKED_MAX = 8;

/** Who is asked for one thing, and since when the last of them. */
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
    // Every body and block that comes calls for a turn, and mostly all peers are busy then.
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

  /** The body that the next cut waits for if it is late, else the lowest ones that nobody is asked for. */
  #bodiesToAsk(window: readonly CutSlot[]): CutSlot[] {
    const [next] = window;
    if (next?.body === undefined && next !== undefined && this.#isLate(next.header.cutId))
      return [next];
    const isOpen = ({ body, header }: CutSlot): boolean =>
      body === undefined && !this.#asked.has(header.cutId);
    const first = window.findIndex(isOpen);
    if (first === -1) return [];
    const candidates = window.slice(first, first + BODIES_PER_TASK_MAX);
    const end = candidates.findIndex((slot) => !isOpen(slot));
    return end === -1 ? candidates : candidates.slice(0, end);
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

  /** The lowest blocks that nobody is asked for, or those of the next cut if they are late. */
  #blocksToAsk(window: readonly CutSlot[]): BlockTask | undefined {
    const late = this.#lateBlocks(window[0]);
    if (late !== undefined) return late;
    const ids: string[] = [];
    let height = 0;
    for (const slot of window) {
      for (const id of slot.missing) {
        if (this.#asked.has(id)) continue;
        ids.push(id);
        height = slot.header.height;
        if (ids.length === BLOCKS_PER_TASK_MAX) return { ids, height, except: new Set() };
      }
    }
    return ids.length === 0 ? undefined : { ids, height, except: new Set() };
  }

  #lateBlocks(slot: CutSlot | undefined): BlockTask | undefined {
    if (slot === undefined) return undefined;
    const except = new Set<SyncPeer>();
    const ids = [...slot.missing].filter((id) => this.#isLate(id)).slice(0, BLOCKS_PER_TASK_MAX);
    for (const id of ids) for (const source of this.#asked.get(id)?.of ?? []) except.add(source);
    return ids.length === 0 ? undefined : { ids, height: slot.header.height, except };
  }
}

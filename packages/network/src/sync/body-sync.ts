/**
 * Gets what the proven headers name: bodies of cuts, then their blocks, from several peers at once. What holds
 * up the next cut is asked of a second peer after a while.
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
  /** After this time the next cut is asked of a second peer too. */
  readonly impatienceMillis: number;
  readonly onChange: () => void;
}

/** About a megabyte of full blocks. */
const BLOCKS_PER_TASK_MAX = Math.min(16, BLOCKS_PER_REQUEST_MAX);
const BODIES_PER_TASK_MAX = Math.min(32, BODIES_PER_REQUEST_MAX);

interface AskedBlock {
  readonly of: Set<SyncPeer>;
  readonly sinceMillis: number;
}

export class BodySync {
  readonly #options: BodySyncOptions;
  readonly #asked = new Map<string, AskedBlock>();

  constructor(options: BodySyncOptions) {
    this.#options = options;
  }

  /** Starts all requests that can be made now. */
  turn(): void {
    const window = this.#options.slots.window();
    while (this.#startBlocks(window) || this.#startBodies(window));
  }

  #startBodies(window: readonly CutSlot[]): boolean {
    const { slots, sources } = this.#options;
    const first = window.findIndex(({ body, isBodyAsked }) => body === undefined && !isBodyAsked);
    if (first === -1) return false;
    const run: CutSlot[] = [];
    for (const slot of window.slice(first, first + BODIES_PER_TASK_MAX)) {
      if (slot.body !== undefined || slot.isBodyAsked) break;
      run.push(slot);
    }
    const headers = run.map(({ header }) => header);
    const lastHeight = Math.max(...headers.map(({ height }) => height));
    const source = sources.pick(lastHeight, true);
    if (source === undefined) return false;
    for (const slot of run) slot.isBodyAsked = true;
    void sources
      .ask(source, async () => {
        const bodies = await source.bodies(headers);
        for (const [index, body] of bodies.entries())
          slots.setBody(headers[index] as CutSlot['header'], body);
        return bodies.length === 0 ? undefined : true;
      })
      .finally(() => {
        for (const slot of run) slot.isBodyAsked = false;
        this.#options.onChange();
      });
    return true;
  }

  #startBlocks(window: readonly CutSlot[]): boolean {
    const { slots, sources, clock } = this.#options;
    const found = this.#blocksToAsk(window);
    if (found === undefined) return false;
    const { ids, height, except } = found;
    const source = sources.pick(height, true, except);
    if (source === undefined) return false;
    for (const id of ids) {
      const asked = this.#asked.get(id);
      if (asked !== undefined) asked.of.add(source);
      else this.#asked.set(id, { of: new Set([source]), sinceMillis: clock.now() });
    }
    void sources
      .ask(source, async () => {
        let count = 0;
        await source.blocks(ids, (block) => {
          count++;
          slots.setBlock(block);
          this.#options.onChange();
        });
        return count === 0 ? undefined : true;
      })
      .finally(() => {
        for (const id of ids) this.#release(id, source);
        this.#options.onChange();
      });
    return true;
  }

  #release(id: string, source: SyncPeer): void {
    const asked = this.#asked.get(id);
    asked?.of.delete(source);
    if (asked?.of.size === 0) this.#asked.delete(id);
  }

  /** The lowest blocks that nobody is asked for, or those of the next cut if they are late. */
  #blocksToAsk(
    window: readonly CutSlot[],
  ): { ids: string[]; height: number; except: ReadonlySet<SyncPeer> } | undefined {
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

  #lateBlocks(
    slot: CutSlot | undefined,
  ): { ids: string[]; height: number; except: ReadonlySet<SyncPeer> } | undefined {
    if (slot === undefined) return undefined;
    const { clock, impatienceMillis } = this.#options;
    const before = clock.now() - impatienceMillis;
    const except = new Set<SyncPeer>();
    const ids = [...slot.missing]
      .filter((id) => {
        const asked = this.#asked.get(id);
        return asked !== undefined && asked.of.size === 1 && asked.sinceMillis <= before;
      })
      .slice(0, BLOCKS_PER_TASK_MAX);
    for (const id of ids) for (const source of this.#asked.get(id)?.of ?? []) except.add(source);
    return ids.length === 0 ? undefined : { ids, height: slot.header.height, except };
  }
}

/**
 * States that are kept for newcomers. At every so-many-th cut, the same ones at all nodes, the state is written to a folder
 * of its own in the background, in ranges that peers can fetch; the newest two stay. A state that cannot be written is
 * left out with a line in the log: the chain does not depend on it.
 */
import { readdirSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeDirectory, syncDirectory } from 'svc-base/node';
import { type Log, messageOf } from 'svc-base/pure';
import type { StateOffer, StateSource } from 'svc-network';
import type { FinalizedCut } from 'svc-serve/ports';
import { planState, StateFiles, writeState } from 'svc-storage/ranges';
import type { ChainCore } from '../chain/chain-core.ts';

export interface KeptStatesPorts {
  readonly chain: Pick<ChainCore, 'store' | 'finalized' | 'parameters'>;
  /** `<data>/states`. */
  readonly directory: string;
  /** Whether the node is at the height of its peers: states of long ago are of no use. */
  readonly isSynced: () => boolean;
  readonly log: Log;
}

export interface KeptStatesOptions {
  /** 0 for none. */
  readonly everyCuts: number;
}

/** A newcomer that fetches the older one has as long as until the next is written. */
const KEPT_MAX = 2;
const UNFINISHED = '.new';

export class KeptStates implements StateSource {
  readonly #ports: KeptStatesPorts;
  readonly #everyCuts: number;
  readonly #unfollow: () => void;
  /** By the ids of their manifests, the newest first. */
  #kept = new Map<string, StateFiles>();
  #writing: { readonly stop: () => void; readonly done: Promise<void> } | undefined;
  #isClosed = false;

  static async open(ports: KeptStatesPorts, options: KeptStatesOptions): Promise<KeptStates> {
    const { directory } = ports;
    await makeDirectory(directory);
    const states = new KeptStates(ports, options);
    try {
      for (const height of heightsIn(directory)) await states.#keep(height);
      const kept = new Set(states.offers().map(({ height }) => String(height)));
      for (const name of readdirSync(directory))
        if (!kept.has(name)) rmSync(join(directory, name), { recursive: true, force: true });
    } catch (error) {
      await states.close();
      throw error;
    }
    return states;
  }

  private constructor(ports: KeptStatesPorts, { everyCuts }: KeptStatesOptions) {
    this.#ports = ports;
    this.#everyCuts = everyCuts;
    this.#unfollow = ports.chain.finalized.on((cut) => this.#follow(cut));
  }

  offers(): StateOffer[] {
    return [...this.#kept].map(([manifestId, { manifest }]) => ({
      height: manifest.height,
      manifestId,
    }));
  }

  async manifest(manifestId: string): Promise<Uint8Array | undefined> {
    return this.#kept.get(manifestId)?.manifestBytes;
  }

  /** A range that is corrupt on the disk counts as missing. */
  async range(manifestId: string, index: number): Promise<Uint8Array | undefined> {
    return await this.#kept.get(manifestId)?.range(index);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unfollow();
    this.#writing?.stop();
    await this.#writing?.done;
    for (const files of this.#kept.values()) await files.close();
    this.#kept.clear();
  }

  #follow({ height, certificate }: FinalizedCut): void {
    const { chain, isSynced, log } = this.#ports;
    if (!isDue(height, this.#everyCuts, chain.parameters.interval)) return;
    if (certificate === null || !isSynced() || this.#writing !== undefined) return;
    try {
      const plan = planState(chain.store);
      const done = this.#write(plan, height).finally(() => {
        this.#writing = undefined;
      });
      this.#writing = { stop: () => plan.frozen.release(), done };
    } catch (error) {
      log.warn({ height, reason: messageOf(error) }, 'the state is not kept for newcomers');
    }
  }

  async #write(plan: ReturnType<typeof planState>, height: number): Promise<void> {
    const { directory, log } = this.#ports;
    const folder = join(directory, String(height));
    const unfinished = `${folder}${UNFINISHED}`;
    try {
      rmSync(unfinished, { recursive: true, force: true });
      await writeState(plan, unfinished, () => nextTurn());
      await rename(unfinished, folder);
      await syncDirectory(directory);
      if (this.#isClosed) return;
      await this.#keep(height);
      log.debug({ height }, 'the state is kept for newcomers');
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      if (!this.#isClosed)
        log.warn({ height, reason: messageOf(error) }, 'the state is not kept for newcomers');
    }
  }

  /** Offers what was written for a height, if it can be read. */
  async #keep(height: number): Promise<void> {
    const { directory, log } = this.#ports;
    const files = await StateFiles.open(join(directory, String(height))).catch((error: unknown) => {
      log.warn({ height, reason: messageOf(error) }, 'a kept state cannot be read; it is removed');
      return undefined;
    });
    if (files === undefined) return;
    try {
      if (files.manifest.height === height) await this.#add(files);
      else await files.close();
    } catch (error) {
      await files.close();
      throw error;
    }
  }

  /** Offers a state as the last thing, when those that are too many are gone. */
  async #add(files: StateFiles): Promise<void> {
    const { directory } = this.#ports;
    const states = [...this.#kept.values(), files].sort(
      (one, other) => other.manifest.height - one.manifest.height,
    );
    const kept = states.slice(0, KEPT_MAX);
    this.#kept = byId(kept.filter((one) => one !== files));
    for (const old of states.slice(KEPT_MAX)) {
      await old.close();
      rmSync(join(directory, String(old.manifest.height)), { recursive: true, force: true });
    }
    this.#kept = byId(kept);
  }
}

/**
 * Whether the state of a height is to be kept. The last cut of an epoch is left out, because its state has the next
 * committee, which did not sign it; the cut after it is taken in its place.
 */
export function isDue(height: number, everyCuts: number, interval: number): boolean {
  const isLast = (of: number): boolean => of % interval === 0;
  if (everyCuts === 0 || isLast(height)) return false;
  const before = height - 1;
  return height % everyCuts === 0 || (before > 0 && isLast(before) && before % everyCuts === 0);
}

function byId(states: readonly StateFiles[]): Map<string, StateFiles> {
  return new Map(states.map((files) => [files.id, files]));
}

function heightsIn(directory: string): number[] {
  const heights = readdirSync(directory).filter((name) => /^[1-9][0-9]{0,14}$/.test(name));
  return heights.map(Number).sort((a, b) => a - b);
}

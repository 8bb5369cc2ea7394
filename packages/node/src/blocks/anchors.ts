/**
 * The last cuts as anchors of work: their ids, targets and times, from memory. Blocks are checked against it
 * before anything is hashed, and rates are taken from it.
 */
import { PARENT_CUTS, REGISTRATION_WINDOW_CUTS, targetBytes } from 'svc-ledger';
import type { Chain } from 'svc-serve/ports';
import { readAtHead } from 'svc-storage';
import { type CutHeader, decodeCutHeader } from 'svc-wasm/protocol';

export interface Anchor {
  readonly height: number;
  readonly cutId: string;
  /** Big-endian. */
  readonly target: Uint8Array;
  readonly timeMillis: number;
}

/** The oldest block that a window of cuts can have registered is anchored one window further back. */
const KEPT_CUTS = REGISTRATION_WINDOW_CUTS + PARENT_CUTS + 1;
const PAGE = 100;

export class Anchors {
  readonly #byHeight = new Map<number, Anchor>();
  #newest: Anchor;
  readonly close: () => void;

  private constructor(chain: Chain) {
    const { genesis, chainId } = chain;
    const target = targetBytes(genesis.workTarget);
    this.#newest = { height: 0, cutId: chainId, target, timeMillis: genesis.timeMillis };
    this.#byHeight.set(0, this.#newest);
    this.close = chain.finalized.on(({ cutId, header }) => this.#add(cutId, header));
  }

  /** Cuts that become final while the older ones are read are not missed. */
  static async open(chain: Chain): Promise<Anchors> {
    const anchors = new Anchors(chain);
    await readAtHead(chain, async (reader) => {
      let before: number | undefined = reader.head.height + 1;
      for (let read = 0; read < KEPT_CUTS && before !== undefined; read += PAGE) {
        const page = await reader.cuts({ before, limit: PAGE });
        for (const { cutId, header } of page.rows) anchors.#add(cutId, decodeCutHeader(header));
        before = page.next ?? undefined;
      }
    });
    return anchors;
  }

  get newest(): Anchor {
    return this.#newest;
  }

  at(height: number): Anchor | undefined {
    return this.#byHeight.get(height);
  }

  #add(cutId: string, { height, workTarget, time }: CutHeader): void {
    const anchor = {
      height: Number(height),
      cutId,
      target: workTarget,
      timeMillis: Number(time),
    };
    if (anchor.height > this.#newest.height) this.#newest = anchor;
    if (anchor.height > this.#newest.height - KEPT_CUTS) this.#byHeight.set(anchor.height, anchor);
    this.#byHeight.delete(this.#newest.height - KEPT_CUTS);
  }
}

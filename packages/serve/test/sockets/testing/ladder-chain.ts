/**
 * A chain on a real store in memory whose cuts come when a test asks for them: the ladder of the storage
 * tests, seen through the port of a node.
 */
import { Signal } from 'svc-base/pure';
import { applyCut } from 'svc-ledger';
import type { LedgerStore } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { cutId, decodeCutHeader } from 'svc-wasm/protocol';
import {
  commitOf,
  LADDER_GENESIS,
  ladderInput,
  ladderPorts,
} from '../../../../storage/test/testing/ladder-chain.ts';
import { memoryLadder } from '../../../../storage/test/testing/ladder-store.ts';
import type { FinalizedCut, SocketServices } from '../../../src/ports.ts';

type SocketChain = SocketServices['chain'];

export class LadderChain implements SocketChain {
  readonly finalized = new Signal<FinalizedCut>();
  readonly genesis = LADDER_GENESIS;
  readonly #store: LedgerStore;
  readonly #cutMillis: number;

  constructor(store: LedgerStore, cutMillis: number) {
    this.#store = store;
    this.#cutMillis = cutMillis;
  }

  static async start(cutMillis = 2_500): Promise<LadderChain> {
    return new LadderChain(await memoryLadder(0), cutMillis);
  }

  get head() {
    const { head } = this.#store;
    if (head === null) throw new Error('the ladder has no genesis');
    return head;
  }

  reader() {
    return this.#store.reader();
  }

  /** Commits the next cut and tells of it. */
  async step(): Promise<FinalizedCut> {
    const height = this.head.height + 1;
    const timeMillis = 1_700_000_000_000 + this.#cutMillis * height;
    const input = { ...ladderInput(height), timeMillis };
    const result = applyCut(ladderPorts(this.#store), this.#store.view, input);
    const { chainId } = this.#store;
    const commit = commitOf(input, result, { chainId, parentCutId: this.head.cutId });
    await this.#store.commit(commit);
    const { header, certificate } = commit;
    const cut: FinalizedCut = {
      height,
      cutId: toHex(cutId(header)),
      header: decodeCutHeader(header),
      headerBytes: header,
      certificate,
      input,
      result,
      finalizedAtMillis: timeMillis + 100,
    };
    this.finalized.emit(cut);
    return cut;
  }

  async climb(height: number): Promise<void> {
    while (this.head.height < height) await this.step();
  }
}

/**
 * What a client has seen of a chain, and whether the chain still says so.
 */
import assert from 'node:assert/strict';
import { post, read } from '../kit.ts';

interface Head {
  readonly cut: { readonly height: number; readonly cut_id: string };
}

interface Statuses {
  readonly statuses: readonly {
    readonly transaction_id: string;
    readonly lifecycle: string;
    readonly failure?: string;
  }[];
}

const STATUSES_MAX = 1_024;

export class ChainMemory {
  readonly #cuts = new Map<number, string>();
  #height = 0;

  get height(): number {
    return this.#height;
  }

  /** Reads the head: it never lies below one that was seen. */
  async look(url: string): Promise<void> {
    const { cut } = await read<Head>(`${url}/v1/chain/head`);
    assert.ok(
      cut.height >= this.#height,
      `the head went back from ${this.#height} to ${cut.height}`,
    );
    this.#height = cut.height;
    if (cut.height > 0) this.#cuts.set(cut.height, cut.cut_id);
  }

  /** Every cut that was seen is still the cut of its height. */
  async compare(url: string): Promise<void> {
    for (const [height, id] of this.#cuts) {
      const path = `/v1/cuts?before=${height + 1}&limit=1`;
      const { cuts } = await read<{ cuts: { height: number; cut_id: string }[] }>(`${url}${path}`);
      assert.deepEqual(
        cuts.map((cut) => [cut.height, cut.cut_id]),
        [[height, id]],
      );
    }
  }
}

/** How many of the transactions are in each state; every one must be known. */
export async function countStates(
  url: string,
  ids: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (let at = 0; at < ids.length; at += STATUSES_MAX) {
    const some = ids.slice(at, at + STATUSES_MAX);
    const body = { api_version: 1, transaction_ids: some };
    const { statuses } = await post<Statuses>(`${url}/v1/transactions/status`, body);
    const known = new Set(statuses.map(({ transaction_id }) => transaction_id));
    const lost = some.filter((id) => !known.has(id));
    assert.deepEqual(lost, [], 'acknowledged transactions that nobody knows any more');
    for (const { lifecycle, failure } of statuses) {
      const state = failure ?? lifecycle;
      counts[state] = (counts[state] ?? 0) + 1;
    }
  }
  return counts;
}

/**
 * Follows what the chain pays to the pool's address, cut by cut, and makes a round of every block that it paid for.
 * The chain decides which blocks were found: one that was submitted while the program was killed is found here, too. The
 * height up to which rewards were distributed is written with the rounds themselves.
 */
import type { AddressChange } from 'svc-api';
import { asError, type Clock, type Log, messageOf } from 'svc-base/pure';
import { type Client, ClientError } from 'svc-client';
import { difficultyOf } from 'svc-mining';
import { fromHex } from 'svc-wasm/base';
import { type Books, readMeta, writeMeta } from '../books/books.ts';
import { pruneHistory } from '../books/work-history.ts';
import { bigintOf, type Sql } from '../database/database.ts';
import {
  type DistributionOptions,
  distributeReward,
  type PaidReward,
} from './distribute-reward.ts';
import { pruneShares } from './prune-shares.ts';

export interface RewardFollowerPorts {
  readonly books: Books;
  readonly client: Pick<Client, 'addressChanges' | 'block' | 'cut'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly onFatal: (error: Error) => void;
}

export interface RewardFollowerOptions extends DistributionOptions {
  readonly poolAddress: string;
  /** A window holds the work of so many blocks. */
  readonly windowBlocks: bigint;
}

const RETRY_MILLIS = 5_000;
/** Heights between two prunings of shares that no window needs any more. */
const PRUNE_HEIGHTS = 1_000;

export class RewardFollower {
  readonly #ports: RewardFollowerPorts;
  readonly #options: RewardFollowerOptions;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isClosed = false;
  #height = 0;
  #prunedAt = 0;
  #stopRetry: () => void = () => {};

  constructor(ports: RewardFollowerPorts, options: RewardFollowerOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  /** Rewards up to this height are distributed. */
  get height(): number {
    return this.#height;
  }

  /** The head moved: reads what is new. Calls while it reads become one. */
  wake(): void {
    if (this.#isClosed) return;
    this.#isWanted = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopRetry();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      try {
        await this.catchUp();
      } catch (error) {
        if (!(error instanceof ClientError)) {
          this.#ports.onFatal(asError(error));
          return;
        }
        const reason = messageOf(error);
        this.#ports.log.warn({ reason }, 'the node does not tell of rewards; they are read later');
        this.#stopRetry();
        this.#stopRetry = this.#ports.clock.after(RETRY_MILLIS, () => this.wake());
      }
    }
  }

  /** Distributes every reward up to what the node has indexed. */
  async catchUp(): Promise<void> {
    const { books, client } = this.#ports;
    const { database } = books;
    const cursor = Number(await database.transaction((sql) => readMeta(sql, 'cursor_height')));
    const addresses = [this.#options.poolAddress];
    const changes: AddressChange[] = [];
    let reached = Number.MAX_SAFE_INTEGER;
    let page: string | undefined;
    do {
      const more = page === undefined ? {} : { cursor: page };
      const answer = await client.addressChanges({ addresses, after_height: cursor, ...more });
      reached = Math.min(reached, answer.indexed_height);
      changes.push(...answer.changes);
      page = answer.next_cursor;
    } while (page !== undefined);
    for (const [height, outputs] of rewardOutputs(changes, reached)) {
      const rewards = await this.#rewardsOf(height, outputs);
      await database.transaction((sql) => this.#distribute(sql, rewards, height));
    }
    if (reached > cursor) await database.transaction((sql) => this.#advance(sql, reached));
    this.#height = Math.max(cursor, reached);
    if (reached < this.#prunedAt + PRUNE_HEIGHTS) return;
    this.#prunedAt = reached;
    const windowWork = await this.#windowWork(reached);
    await database.transaction(async (sql) => {
      await pruneShares(sql, reached, windowWork);
      await pruneHistory(sql, this.#ports.clock.now());
    });
  }

  /** The size of the window of a block that is anchored at the height. */
  async #windowWork(height: number): Promise<bigint> {
    const { cut } = await this.#ports.client.cut({ height });
    return this.#options.windowBlocks * difficultyOf(fromHex(cut.work_target, 'work_target', 32));
  }

  async #distribute(sql: Sql, rewards: readonly PaidReward[], height: number): Promise<void> {
    for (const reward of rewards) {
      const round = await distributeReward(sql, reward, this.#options);
      if (round === undefined) continue;
      const { number, blockId: block, entries } = round;
      const fields = { round: number, block, atoms: reward.atoms, miners: entries.length };
      this.#ports.log.info(fields, 'a reward was distributed');
    }
    await writeMeta(sql, 'cursor_height', String(height));
  }

  /** The pool's blocks among the rewards of a cut, with what each was paid. */
  async #rewardsOf(height: number, outputs: ReadonlySet<string>): Promise<PaidReward[]> {
    const { client, books } = this.#ports;
    const { cut } = await client.cut({ height });
    const rewards: PaidReward[] = [];
    for (const { block_id: blockId, amount, outpoint } of cut.rewards as WorkRewardEntries) {
      if (outpoint === null || !outputs.has(keyOf(outpoint))) continue;
      const reward = { blockId, atoms: BigInt(amount), height };
      if (await this.#isKnown(blockId)) rewards.push(reward);
      else {
        const { anchor_height: anchorHeight, registered_cut: cut } = await client.block({
          id: blockId,
        });
        if (cut === null) throw new Error(`block ${blockId} was paid and has no cut`);
        const newestHead = cut.height - 1;
        const isOurs = newestHead >= books.startHeight;
        const fields = { block: blockId, registered_height: cut.height };
        if (isOurs) this.#ports.log.warn(fields, 'a block of the pool was not in the books');
        else this.#ports.log.info(fields, 'a block from before the books is left alone');
        if (!isOurs) continue;
        const windowWork = await this.#windowWork(anchorHeight);
        rewards.push({ ...reward, unrecorded: { newestHead, windowWork } });
      }
    }
    return rewards;
  }

  #isKnown(blockId: string): Promise<boolean> {
    return this.#ports.books.database.transaction(async (sql) => {
      const rows = await sql.rows('SELECT 1 AS one FROM blocks WHERE block_id = $1', [blockId]);
      return rows.length > 0;
    });
  }

  async #advance(sql: Sql, height: number): Promise<void> {
    await writeMeta(sql, 'cursor_height', String(height));
    const late = await sql.rows(
      "SELECT COUNT(*) AS count FROM blocks WHERE state = 'found' AND expires_height < $1",
      [height],
    );
    const expired = late[0] === undefined ? 0n : bigintOf(late[0], 'count');
    if (expired > 0n) {
      await sql.rows(
        "UPDATE blocks SET state = 'expired' WHERE state = 'found' AND expires_height < $1",
        [height],
      );
      this.#ports.log.warn({ blocks: expired }, 'blocks were not registered in time');
    }
  }
}

type WorkRewardEntries = readonly {
  readonly block_id: string;
  readonly amount: string;
  readonly outpoint: { readonly transaction_id: string; readonly output_index: number } | null;
}[];

function rewardOutputs(
  changes: readonly AddressChange[],
  reached: number,
): ReadonlyMap<number, ReadonlySet<string>> {
  const byHeight = new Map<number, Set<string>>();
  for (const { kind, source, finalized_height: height, outpoint } of changes) {
    if (kind !== 'received' || source !== 'work_reward' || height > reached) continue;
    const outputs = byHeight.get(height) ?? new Set();
    outputs.add(keyOf(outpoint));
    byHeight.set(height, outputs);
  }
  return new Map([...byHeight].toSorted(([a], [b]) => a - b));
}

function keyOf(outpoint: {
  readonly transaction_id: string;
  readonly output_index: number;
}): string {
  return `${outpoint.transaction_id}:${outpoint.output_index}`;
}

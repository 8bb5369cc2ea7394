/**
 * A chain reader in memory, written from the port's description alone: it keeps what was committed and
 * answers by looking through all of it.
 */
import {
  type Change,
  outpointKey,
  SINGLE_KEY,
  statusOfOutcome,
  type Table,
  type Tables,
} from 'svc-ledger';
import { fromHex, LABELS, toHex } from 'svc-wasm/base';
import { cutId, hashLabel } from 'svc-wasm/protocol';
import {
  type ChainReader,
  type CutRow,
  expectLimit,
  type HistoryRow,
  type OutcomeRow,
  PAGE_LIMITS,
  type Page,
} from '../chain-reader.ts';
import type { Balance, StatusRecord, UnspentRecord, WorkRecord } from '../codec/index-records.ts';
import type { Head, Retention } from '../codec/meta-records.ts';
import type { CutCommit } from '../commit/cut-commit.ts';
import type { ChainScript } from './chain-script.ts';

function pageOf<Row, Position>(
  rows: readonly Row[],
  limit: number,
  most: number,
  positionOf: (row: Row) => Position,
): Page<Row, Position> {
  expectLimit(limit, most);
  const last = rows[limit - 1];
  return {
    rows: rows.slice(0, limit),
    next: rows.length > limit && last !== undefined ? positionOf(last) : null,
  };
}

/** The state as plain maps, folded from the changes alone. */
class State {
  readonly #records = new Map<Table, Map<string, unknown>>();

  apply(changes: readonly Change[]): void {
    for (const { table, key, after } of changes) {
      const records = this.#records.get(table) ?? new Map<string, unknown>();
      this.#records.set(table, records);
      if (after === undefined) records.delete(key);
      else records.set(key, after);
    }
  }

  get<T extends Table>(table: T, key: string): Tables[T] | undefined {
    return this.#records.get(table)?.get(key) as Tables[T] | undefined;
  }

  /** By ascending key. */
  records<T extends Table>(table: T): [string, Tables[T]][] {
    const records = [...(this.#records.get(table) ?? [])] as [string, Tables[T]][];
    return records.sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** The second half of an output's tree key. */
function utxoPosition(outpoint: string): string {
  const index = Number.parseInt(outpoint.slice(96), 16);
  const data = new Uint8Array(52);
  data.set(fromHex(outpoint.slice(0, 96)));
  new DataView(data.buffer).setUint32(48, index, true);
  return toHex(hashLabel(LABELS.treeKey, data).subarray(0, 32));
}

export class MemoryChainReader implements ChainReader {
  readonly head: Head;
  readonly retention: Retention = {
    mode: 'archive',
    firstHeight: 1,
    indexedFrom: 1,
    blocksFrom: 1,
  };
  readonly #script: ChainScript;
  readonly #state = new State();

  constructor(script: ChainScript) {
    this.#script = script;
    this.#state.apply(script.genesis.changes);
    for (const { result } of script.commits) this.#state.apply(result.changes);
    const last = script.commits.at(-1);
    this.head = {
      height: script.commits.length,
      cutId: last === undefined ? script.genesis.chainId : toHex(cutId(last.header)),
      stateRoot: (last?.result ?? script.genesis).stateRoot,
      outputs: this.#state.records('outputs').length,
    };
  }

  #commit(height: number): CutCommit | undefined {
    return this.#script.commits[height - 1];
  }

  #unspent(address: string): UnspentRecord[] {
    return this.#state
      .records('outputs')
      .filter(([, output]) => output.address === address)
      .map(([outpoint, output]) => ({ outpoint, ...output }))
      .sort((a, b) => (utxoPosition(a.outpoint) < utxoPosition(b.outpoint) ? -1 : 1));
  }

  balance(address: string): Balance {
    const outputs = this.#unspent(address);
    const amount = outputs.reduce((sum, output) => sum + output.amount, 0n);
    return { amount, outputs: outputs.length };
  }

  async balances(addresses: readonly string[]): Promise<Balance[]> {
    return addresses.map((address) => this.balance(address));
  }

  utxos: ChainReader['utxos'] = async (address, { after, limit }) => {
    const rows = this.#unspent(address).filter(
      ({ outpoint }) => after === undefined || utxoPosition(outpoint) > after,
    );
    return pageOf(rows, limit, PAGE_LIMITS.utxos, ({ outpoint }) => utxoPosition(outpoint));
  };

  #history(address: string): HistoryRow[] {
    const cuts = [
      { height: 0, history: this.#script.genesis.history },
      ...this.#script.commits.map(({ result }) => ({
        height: result.height,
        history: result.events.history,
      })),
    ];
    return cuts.flatMap(({ height, history }) =>
      history.flatMap(({ address: owner, ...entry }, index) =>
        owner === address ? [{ height, index, entry }] : [],
      ),
    );
  }

  history: ChainReader['history'] = async (address, request) => {
    const { after, limit, order = 'newest', aboveHeight = -1 } = request;
    const sign = order === 'newest' ? -1 : 1;
    const all = this.#history(address).filter(({ height }) => height > aboveHeight);
    const ordered = sign < 0 ? all.reverse() : all;
    const rows = ordered.filter(
      ({ height, index }) =>
        after === undefined || sign * (height - after.height || index - after.index) > 0,
    );
    const position = ({ height, index }: HistoryRow) => ({ height, index });
    return pageOf(rows, limit, PAGE_LIMITS.history, position);
  };

  cut: ChainReader['cut'] = async (height) => {
    const commit = this.#commit(height);
    if (commit === undefined) return undefined;
    return { height, cutId: toHex(cutId(commit.header)), header: commit.header };
  };

  cutById: ChainReader['cutById'] = async (id) => {
    for (const { input } of this.#script.commits) {
      const row = await this.cut(input.height);
      if (row?.cutId === id) return row;
    }
    return undefined;
  };

  cuts: ChainReader['cuts'] = async ({ before, limit }) => {
    const rows: CutRow[] = [];
    for (let height = this.head.height; height > 0; height--) {
      const row = await this.cut(height);
      if (row !== undefined && (before === undefined || height < before)) rows.push(row);
    }
    return pageOf(rows, limit, PAGE_LIMITS.cuts, ({ height }) => height);
  };

  #outcomes(height: number): OutcomeRow[] {
    const outcomes = this.#commit(height)?.result.events.outcomes ?? [];
    return outcomes.map((outcome, index) => ({ height, index, outcome }));
  }

  cutTransactions: ChainReader['cutTransactions'] = async (height, { after = -1, limit }) => {
    const rows = this.#outcomes(height).filter(({ index }) => index > after);
    return pageOf(rows, limit, PAGE_LIMITS.cutTransactions, ({ index }) => index);
  };

  cutChanges: ChainReader['cutChanges'] = async (height, { after = -1, limit }) => {
    const history =
      height === 0 ? this.#script.genesis.history : this.#commit(height)?.result.events.history;
    const rows = (history ?? [])
      .map((entry, index) => ({ index, entry }))
      .filter(({ index }) => index > after);
    return pageOf(rows, limit, PAGE_LIMITS.cutChanges, ({ index }) => index);
  };

  summary: ChainReader['summary'] = async (height) => {
    const commit = this.#commit(height);
    if (commit === undefined) return undefined;
    const { rewards, stakePayouts, burns, keys, validators, outcomes, history } =
      commit.result.events;
    return {
      registeredWork: commit.input.registered.length,
      executedWork: commit.input.executed.length,
      transactions: outcomes.length,
      changes: history.length,
      rewards,
      stakePayouts,
      burns,
      keys,
      validators,
    };
  };

  async cutBody(height: number): Promise<Uint8Array | undefined> {
    return this.#commit(height)?.body;
  }

  async certificate(height: number): Promise<Uint8Array | undefined> {
    return this.#commit(height)?.certificate ?? undefined;
  }

  lastCertificate: ChainReader['lastCertificate'] = async (from, last) => {
    for (let height = last; height >= from; height--) {
      const certificate = await this.certificate(height);
      if (certificate !== undefined) return { height, certificate };
    }
    return undefined;
  };

  async recentTransactions(limit: number): Promise<OutcomeRow[]> {
    expectLimit(limit, PAGE_LIMITS.recent);
    const all = this.#script.commits.flatMap(({ input }) => this.#outcomes(input.height));
    return all.reverse().slice(0, limit);
  }

  recentBlocks: ChainReader['recentBlocks'] = async (limit) => {
    expectLimit(limit, PAGE_LIMITS.recent);
    const ids = this.#script.commits
      .flatMap(({ input }) => input.registered.map(({ id }) => id))
      .reverse()
      .slice(0, limit);
    return ids.flatMap((id) => {
      const work = this.#work(id);
      return work === undefined ? [] : [{ id, work }];
    });
  };

  async statuses(transactionIds: readonly string[]): Promise<(StatusRecord | undefined)[]> {
    return transactionIds.map((id) => {
      let status: StatusRecord | undefined;
      for (const { input } of this.#script.commits) {
        for (const { height, index, outcome } of this.#outcomes(input.height)) {
          const { transactionId, ...rest } = outcome;
          const final = status !== undefined && statusOfOutcome(status.outcome.kind)?.final;
          if (transactionId !== id || final === true || statusOfOutcome(rest.kind) === null)
            continue;
          status = { outcome: rest, height, index };
        }
      }
      return status;
    });
  }

  #work(blockId: string): WorkRecord | undefined {
    for (const { input } of this.#script.commits) {
      const block = input.registered.find(({ id }) => id === blockId);
      if (block === undefined) continue;
      const { anchorHeight, payoutAddress } = block;
      return {
        anchorHeight,
        registeredHeight: input.height,
        payoutAddress,
        reward: this.#reward(blockId),
      };
    }
    return undefined;
  }

  #reward(id: string): WorkRecord['reward'] {
    for (const { result } of this.#script.commits) {
      const reward = result.events.rewards.find(({ blockId }) => blockId === id);
      if (reward === undefined) continue;
      const { share, fees, amount, outpoint, outputAmount } = reward;
      return { share, fees, amount, outpoint, outputAmount };
    }
    return null;
  }

  async work(blockId: string): Promise<WorkRecord | undefined> {
    return this.#work(blockId);
  }

  async blockHeader(blockId: string): Promise<Uint8Array | undefined> {
    return this.#block(blockId)?.header;
  }

  async blockBody(blockId: string): Promise<Uint8Array | undefined> {
    return this.#block(blockId)?.body;
  }

  #block(blockId: string) {
    return this.#script.commits.flatMap(({ blocks }) => blocks).find(({ id }) => id === blockId);
  }

  outputs: ChainReader['outputs'] = async (outpoints) =>
    outpoints.map((outpoint) => this.#state.get('outputs', outpointKey(outpoint)));

  keys: ChainReader['keys'] = async (keyHashes) =>
    keyHashes.map((keyHash) => this.#state.get('keys', keyHash));

  keyHeights: ChainReader['keyHeights'] = async (keyHashes) =>
    keyHashes.map(
      (hash) =>
        this.#script.commits.find(({ result }) =>
          result.events.keys.some(({ keyHash }) => keyHash === hash),
        )?.input.height,
    );

  positionsOf: ChainReader['positionsOf'] = async (ownerAddress) =>
    this.#state
      .records('positions')
      .filter(([, position]) => position.ownerAddress === ownerAddress)
      .map(([id, position]) => ({ id, position }));

  validators: ChainReader['validators'] = async () =>
    this.#state.records('validators').map(([id, validator]) => ({ id, validator }));

  economy: ChainReader['economy'] = async () => this.#single('economy');

  epoch: ChainReader['epoch'] = async () => this.#single('epoch');

  #single<T extends Table>(table: T): Tables[T] {
    const record = this.#state.get(table, SINGLE_KEY);
    if (record === undefined) throw new Error(`there is no ${table}`);
    return record;
  }

  async close(): Promise<void> {}
}

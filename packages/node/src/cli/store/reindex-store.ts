/**
 * `svcd reindex`: builds the store anew beside the old one, then puts it in its place. If it is broken off
 * the old store is untouched, and the next call continues where it stopped.
 */
import { existsSync } from 'node:fs';
import { CliError, EXIT, note, result } from 'svc-base/cli';
import {
  bytesOf,
  type CutInput,
  type EpochRecord,
  genesisState,
  SINGLE_KEY,
  WireTransactions,
} from 'svc-ledger';
import {
  type BlockBytes,
  type ChainReader,
  type LedgerStore,
  MemoryStore,
  openStore,
  openStoreOn,
  reindex,
  StoreDamagedError,
  type StoredCut,
} from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import {
  decodeCutBody,
  decodeCutHeader,
  hashLabel,
  type Manifest,
  rootOfList,
} from 'svc-wasm/protocol';
import { DirectoryDisk } from '../../chain/chain-disk.ts';
import { judgeEvidence } from '../../chain/evidence.ts';
import { finishReplacing, keptPath, replaceChain } from '../../chain/replace-chain.ts';
import { ValidatorSets } from '../../chain/validator-sets.ts';
import { readWorkBlock } from '../../chain/work-blocks.ts';
import type { CommandOptions } from '../config-options.ts';
import { type ChainPlace, chainPlace, withReader } from './open-store.ts';

interface InputSources {
  /** The store being built, whose head is the cut before. */
  readonly store: LedgerStore;
  readonly sets: ValidatorSets;
  readonly manifest: Manifest;
  readonly transactions: WireTransactions;
}

/**
 * Turns a stored cut back into what the ledger executes.
 */
function cutInputOf(cut: StoredCut, sources: InputSources): CutInput {
  const { store, sets, manifest, transactions } = sources;
  const header = decodeCutHeader(cut.header);
  const { evidence } = decodeCutBody(cut.body);
  const blockOf = (bytes: BlockBytes) => readWorkBlock(bytes, manifest, transactions);
  sets.learn(store.view.get('epoch', SINGLE_KEY) as EpochRecord);
  const { height } = cut;
  const verdict = judgeEvidence(evidence, sets, bytesOf(store.chainId), {
    height,
    isCertified: false,
  });
  if (verdict.type !== 'convicts') {
    throw new StoreDamagedError(`cut ${cut.height} has evidence that convicts nobody; sync anew`);
  }
  return {
    height: cut.height,
    parentCutId: toHex(header.parentCutId),
    timeMillis: Number(header.time),
    previousSigners: header.previousSigners,
    registered: cut.registered.map((bytes) => blockOf(bytes).block),
    evidence: verdict.offences,
    executed: cut.executed.map((bytes) => {
      const { block, transactions: executed } = blockOf(bytes);
      return { id: block.id, transactions: executed };
    }),
  };
}

const TERMINAL_MILLIS = 100;
const LINE_MILLIS = 10_000;

/**
 * Says on standard error how far something long has come: in place on a terminal, now and then elsewhere.
 */
class Progress {
  readonly #what: string;
  readonly #total: number;
  readonly #isTerminal = process.stderr.isTTY === true;
  #shownAt = performance.now();
  #isShown = false;

  constructor(what: string, total: number) {
    this.#what = what;
    this.#total = total;
  }

  reach(count: number): void {
    const now = performance.now();
    if (now - this.#shownAt < (this.#isTerminal ? TERMINAL_MILLIS : LINE_MILLIS)) return;
    this.#shownAt = now;
    const percent = ((100 * count) / Math.max(1, this.#total)).toFixed(1);
    const text = `${this.#what} ${count} of ${this.#total} (${percent} %)`;
    process.stderr.write(this.#isTerminal ? `\r${text}` : `${text}\n`);
    this.#isShown = true;
  }

  end(): void {
    if (this.#isTerminal && this.#isShown) process.stderr.write('\n');
  }
}

export async function reindexStore(options: CommandOptions): Promise<void> {
  const place = await chainPlace(options);
  finishReplacing(place.directory);
  const built = `${place.directory}.reindexed`;
  const height = await withReader(place, (old) => rebuild(place, old, built));
  putInPlace(place, built, options['keepOld'] === true);
  note(`every cut up to ${height} was executed again and has the root of its header`);
  result(String(height));
}

/** Puts a store that was built in the place of the old one, which is kept if the operator wishes. */
export function putInPlace(place: ChainPlace, built: string, keepsOld: boolean): void {
  const kept = keptPath(place.directory);
  if (existsSync(kept)) {
    throw new CliError(EXIT.refused, `${kept} is in the way`, {
      hint: 'delete it, or move it elsewhere, and run the command again',
    });
  }
  replaceChain(place.directory, built, keepsOld);
}

/** Executes every cut that the reader has into a new store. */
export async function rebuild(
  place: ChainPlace,
  old: ChainReader,
  directory: string,
): Promise<number> {
  const { retention, head } = old;
  if (retention.blocksFrom > 1 || retention.firstHeight > 1) {
    throw new CliError(
      EXIT.refused,
      `the store lacks the blocks before cut ${retention.blocksFrom}, and only an archive can be executed again`,
      { hint: 'sync anew, or import a snapshot' },
    );
  }
  const { chainId, parameters } = place;
  const store = await openStore({ directory, chainId, parameters, mode: retention.mode });
  try {
    await replay(place, old, { store, directory });
  } finally {
    await store.close();
  }
  return head.height;
}

async function replay(
  place: ChainPlace,
  reader: ChainReader,
  { store, directory }: { store: LedgerStore; directory: string },
): Promise<void> {
  const { parameters, manifest } = place;
  const transactions = new WireTransactions(manifest);
  const progress = new Progress('cut', reader.head.height);
  try {
    const genesis = await genesisFor(place, store);
    if (store.head === null) await store.initialize(genesis);
    const sets = await ValidatorSets.load(
      new DirectoryDisk(directory).sets,
      parameters,
      reader,
      store.view.get('epoch', SINGLE_KEY) as EpochRecord,
    );
    await reindex(reader, store, {
      genesis,
      ports: {
        chainId: store.chainId,
        parameters,
        hash: hashLabel,
        listRoot: rootOfList,
        signatures: transactions,
      },
      inputOf: (cut) => cutInputOf(cut, { store, sets, manifest, transactions }),
      onCut: (height) => progress.reach(height),
    });
  } finally {
    progress.end();
  }
}

/** The genesis for a new store with empty trees; a store that is continued has its trees already. */
async function genesisFor(place: ChainPlace, store: LedgerStore) {
  const { chainId, parameters, genesis } = place;
  const options = { chainId, parameters, mode: 'archive' } as const;
  const empty = store.head === null ? store : await openStoreOn(new MemoryStore(), options);
  return genesisState({ parameters, hash: hashLabel, commitments: empty.commitments }, genesis);
}

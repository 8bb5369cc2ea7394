/**
 * Reads ahead what applying a cut will ask for: the outputs it spends and makes, and the buckets they
 * are in. It changes nothing but speed; many reads at once run off the main thread, single ones do not.
 */
import {
  BURN_ADDRESS,
  blockKey,
  blocksToExecute,
  type CutInput,
  type ExecutableTransaction,
  MAX_SUPPLY,
  type NamedOutput,
  outpointKey,
  outputKey,
  TREES,
  type TransactionOutput,
} from 'svc-ledger';
import { Packer } from './codec/packer.ts';
import type { KeyValueReader } from './key-value/key-value-store.ts';
import { LAYOUT } from './layout.ts';
import type { StoredState } from './state/stored-state.ts';
import type { BucketsAhead, LeavesAhead } from './tree/bucket-tree.ts';
import type { StateTrees } from './trees/state-trees.ts';

/** Reads of one kind that run side by side. */
const PARTS = 2;
/** The buckets of some leaves are read while the next leaves are hashed. */
const LEAVES_AT_ONCE = 2_048;
/** Transactions and blocks; handing fewer over to other threads costs more than reading them here one by one. */
export const READ_AHEAD_MIN = 64;

interface Parts {
  readonly keyValues: KeyValueReader;
  readonly state: StoredState;
  readonly trees: StateTrees;
}

/** The keys of what a transaction spends and makes. */
interface Movement {
  readonly spent: readonly string[];
  readonly made: readonly string[];
}

export interface PrepareOptions {
  /** With fewer transactions and blocks, records are read one by one. */
  readonly least: number;
  /** The trees apply the cut later: its buckets are not read now. */
  readonly isDeferred: boolean;
}

export async function prepareCut(
  parts: Parts,
  input: CutInput,
  { least, isDeferred }: PrepareOptions,
): Promise<void> {
  const { state } = parts;
  if (!isDeferred) await readDeferred(parts);
  const readLeaves = isDeferred ? prepareLeaves : fetchBuckets;
  const transactions = input.executed.flatMap((block) => block.transactions);
  /** One may be there twice. */
  const made: NamedOutput[] = [];
  const movements = transactions.map((transaction) => movementOf(transaction, made));
  if (transactions.length + input.registered.length < least) {
    prepareFew(state, movements);
    return;
  }
  /** In order, so that reads go forward through the files. */
  const spent = [...new Set(movements.flatMap((movement) => movement.spent))].sort();
  const reads = inParts(spent, (keys) => state.fetch('outputs', keys));
  const madeLeaves = readLeaves(parts, made, 'put');
  await Promise.all(reads);
  const found: NamedOutput[] = [];
  for (const outpoint of spent) {
    const output = state.get('outputs', outpoint);
    if (output !== undefined) found.push({ outpoint, output });
  }
  await Promise.all([
    ...madeLeaves,
    ...readLeaves(parts, found, 'removed'),
    ...fetchPast(state, movements, new Set(found.map(({ outpoint }) => outpoint))),
    ...fetchWork(state, input),
  ]);
}

/** Adds what the transaction makes to the outputs of all. */
function movementOf(maker: ExecutableTransaction, made: NamedOutput[]): Movement {
  const keys: string[] = [];
  maker.outputs.forEach((output, outputIndex) => {
    if (!canBeMade(output)) return;
    const outpoint = outputKey(maker, outputIndex);
    keys.push(outpoint);
    made.push({ outpoint, output, maker, outputIndex });
  });
  return { spent: maker.inputs.map(outpointKey), made: keys };
}

/** Reads each input once, for the checks of signatures and the execution together. */
function prepareFew(state: StoredState, movements: readonly Movement[]): void {
  const found = new Set<string>();
  for (const { spent } of movements)
    for (const key of spent) if (state.keep('outputs', key) !== undefined) found.add(key);
  expectPast(state, movements, found);
}

/** Whether inputs were spent and transactions executed before. Most need not be looked up. */
function fetchPast(
  state: StoredState,
  movements: readonly Movement[],
  found: ReadonlySet<string>,
): Promise<void>[] {
  const { missing, doubtful } = expectPast(state, movements, found);
  return [state.fetch('spent', missing), state.fetch('outputs', doubtful)];
}

interface UnknownPast {
  /** Inputs that are not there: they may have been spent. */
  readonly missing: readonly string[];
  /** Outputs of transactions that may have been executed. */
  readonly doubtful: readonly string[];
}

/**
 * Records what follows from the stored inputs: such an output was not spent, and a transaction that was
 * executed has none of its inputs left, so one that has some has no outputs yet. Returns what does not follow.
 */
function expectPast(
  state: StoredState,
  movements: readonly Movement[],
  found: ReadonlySet<string>,
): UnknownPast {
  const missing = new Set<string>();
  const doubtful: string[] = [];
  state.expectAbsent('spent', found);
  for (const { spent, made } of movements) {
    if (spent.some((key) => found.has(key))) state.expectAbsent('outputs', made);
    else doubtful.push(...made);
    for (const key of spent) if (!found.has(key)) missing.add(key);
  }
  return { missing: [...missing], doubtful };
}

/** Blocks that the cut registers, and those that it executes and so gives their fees. */
function fetchWork(state: StoredState, { height, registered }: CutInput): Promise<void>[] {
  const bodies = registered.map(({ bodyRoot }) => bodyRoot);
  const blocks = [...registered, ...blocksToExecute(state, height)].map(({ anchorHeight, id }) =>
    blockKey(anchorHeight, id),
  );
  return [state.fetch('bodies', bodies), state.fetch('blocks', blocks)];
}

/** What is burned, or what only an invalid transaction lists, never gets a leaf. */
function canBeMade({ address, amount }: TransactionOutput): boolean {
  return address !== BURN_ADDRESS && amount > 0n && amount <= MAX_SUPPLY;
}

function fetchBuckets(
  { keyValues, trees }: Parts,
  named: readonly NamedOutput[],
  change: LeavesAhead,
): Promise<void>[] {
  const reads: Promise<void>[] = [];
  for (let at = 0; at < named.length; at += LEAVES_AT_ONCE)
    reads.push(
      ...readBuckets(keyValues, trees.prepare(named.slice(at, at + LEAVES_AT_ONCE), change)),
    );
  return reads;
}

/** Nothing is read for leaves alone. */
function prepareLeaves({ trees }: Parts, named: readonly NamedOutput[]): Promise<void>[] {
  trees.prepareLeaves(named);
  return [];
}

/** Reads the buckets that applying deferred cuts needs. */
export async function readDeferred({
  keyValues,
  trees,
}: Pick<Parts, 'keyValues' | 'trees'>): Promise<void> {
  await Promise.all(trees.deferredBuckets().flatMap((ahead) => readBuckets(keyValues, ahead)));
}

function readBuckets(keyValues: KeyValueReader, { names, offer }: BucketsAhead): Promise<void>[] {
  const packer = new Packer();
  const keys = names.map((name) =>
    packer.u8(LAYOUT.buckets.prefix).u8(TREES.outputs).raw(name).finish(),
  );
  return inParts([...keys.entries()], async (part) => {
    const records = await keyValues.getMany(
      part.map(([, key]) => key),
      { isOnce: true },
    );
    records.forEach((record, place) => {
      if (record !== undefined) offer((part[place] as [number, Uint8Array])[0], record);
    });
  });
}

function inParts<T>(
  items: readonly T[],
  read: (part: readonly T[]) => Promise<void>,
): Promise<void>[] {
  const size = Math.max(1, Math.ceil(items.length / PARTS));
  const parts: Promise<void>[] = [];
  for (let at = 0; at < items.length; at += size) parts.push(read(items.slice(at, at + size)));
  return parts;
}

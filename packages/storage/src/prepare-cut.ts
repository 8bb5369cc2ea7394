/**
 * Reads ahead what applying a cut will ask for: the outputs it spends and makes, and the buckets they
 * lie in. It changes nothing but speed; many reads at once run off the main thread, single ones do not.
 */
import {
  BURN_ADDRESS,
  type CutInput,
  MAX_SUPPLY,
  outpointKey,
  TREES,
  type TransactionOutput,
} from 'svc-ledger';
import { packOutpoint } from './codec/index-records.ts';
import { Packer } from './codec/packer.ts';
import type { KeyValueReader } from './key-value/key-value-store.ts';
import { LAYOUT } from './layout.ts';
import type { StoredState } from './state/stored-state.ts';
import type { StateTrees } from './trees/state-trees.ts';

/** Reads of one kind that run side by side. */
const PARTS = 2;

interface Parts {
  readonly keyValues: KeyValueReader;
  readonly state: StoredState;
  readonly trees: StateTrees;
}

export async function prepareCut(parts: Parts, { executed }: CutInput): Promise<void> {
  const spent = new Set<string>();
  const made = new Map<string, TransactionOutput>();
  for (const { transactions } of executed) {
    for (const { id, inputs, outputs } of transactions) {
      for (const input of inputs) spent.add(outpointKey(input));
      outputs.forEach((output, outputIndex) => {
        if (!canBeMade(output)) return;
        made.set(outpointKey({ transactionId: id, outputIndex }), output);
      });
    }
  }
  const { state } = parts;
  const spentKeys = [...spent];
  const reads = inParts(spentKeys, (keys) => state.fetch('outputs', keys));
  const others = [state.fetch('spent', spentKeys), state.fetch('outputs', [...made.keys()])];
  const madeBuckets = fetchBuckets(parts, made);
  await Promise.all(reads);
  const found = new Map<string, TransactionOutput>();
  for (const key of spentKeys) {
    const output = state.get('outputs', key);
    if (output !== undefined) found.set(key, output);
  }
  await Promise.all([...others, ...madeBuckets, ...fetchBuckets(parts, found)]);
}

/** What is burned, or what only an invalid transaction lists, never gets a leaf. */
function canBeMade({ address, amount }: TransactionOutput): boolean {
  return address !== BURN_ADDRESS && amount > 0n && amount <= MAX_SUPPLY;
}

/** The value of an output's leaf; `docs/protocol.md` 9.1. */
function leafValueOf(packer: Packer, key: string, output: TransactionOutput): Uint8Array {
  packOutpoint(packer, key);
  return packer.hex(output.address).u64(output.amount).finish();
}

function fetchBuckets(
  { keyValues, trees }: Parts,
  outputs: ReadonlyMap<string, TransactionOutput>,
): Promise<void>[] {
  const packer = new Packer();
  const values = [...outputs].map(([key, output]) => leafValueOf(packer, key, output));
  const { names, offer } = trees.prepare([...outputs.keys()], values);
  const keys = names.map((name) =>
    packer.u8(LAYOUT.buckets.prefix).u8(TREES.outputs).raw(name).finish(),
  );
  return inParts([...keys.entries()], async (part) => {
    const records = await keyValues.getMany(part.map(([, key]) => key));
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

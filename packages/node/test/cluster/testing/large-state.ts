/**
 * A chain that begins with any number of outputs: the coins of one account of the genesis, cut into small pieces of
 * addresses of their own. The pieces are in the store and not in the genesis, so such a chain cannot be synced from there.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chainIdOf,
  type Genesis,
  genesisState,
  keyAddress,
  LEDGER_PARAMETERS,
  type OutputRecord,
  outpointKey,
} from 'svc-ledger';
import { type KeyRange, LAYOUT, type LedgerStore, openStore } from 'svc-storage';
import { rebuildOutputs, sealState, writeOutputsInBulk } from 'svc-storage/bulk';
import { toHex } from 'svc-wasm/base';
import { hashLabel } from 'svc-wasm/protocol';

const OUTPUTS_PER_WRITE = 20_000;

/** Makes the store in an empty `<data>/chain`; takes minutes for millions of outputs. */
export async function makeLargeState(
  directory: string,
  genesis: Genesis,
  outputs: number,
): Promise<void> {
  const parameters = LEDGER_PARAMETERS[genesis.network];
  const chainId = chainIdOf(hashLabel, genesis);
  const store = await openStore({ directory, chainId, parameters, mode: 'full' });
  const ports = { parameters, hash: hashLabel, commitments: store.commitments };
  await store.initialize(genesisState(ports, genesis));
  const amount = await takeOneOutput(store);
  for (let first = 0; first < outputs; first += OUTPUTS_PER_WRITE) {
    const length = Math.min(OUTPUTS_PER_WRITE, outputs - first);
    const pieces = Array.from({ length }, (_, index) => pieceOf(first + index, outputs, amount));
    await writeOutputsInBulk(store.keyValues, pieces, { history: false });
  }
  await rebuildOutputs(store.keyValues);
  await sealState(store.keyValues, { height: 0, cutId: chainId });
  await store.close();
}

/** Removes an output, and everything that is made anew from all of them. */
async function takeOneOutput({ keyValues, view }: LedgerStore): Promise<bigint> {
  const all = (from: Uint8Array): KeyRange => {
    const to = from.slice();
    to[to.length - 1] = (to.at(-1) ?? 0) + 1;
    return { from, to };
  };
  const keysOf = async (...start: number[]): Promise<Uint8Array[]> => {
    const keys: Uint8Array[] = [];
    for await (const entries of keyValues.scan(all(Uint8Array.from(start))))
      keys.push(...entries.map(([key]) => key));
    return keys;
  };
  const [taken] = await keysOf(LAYOUT.outputs.prefix);
  assert.ok(taken !== undefined);
  const outpoint = toHex(taken.subarray(1));
  const { amount } = view.get('outputs', outpoint) as OutputRecord;
  const unspent: Uint8Array[] = [];
  const id = Buffer.from(outpoint.slice(0, 96), 'hex');
  for await (const entries of keyValues.scan(all(Uint8Array.of(LAYOUT.unspent.prefix))))
    for (const [key, value] of entries) if (id.equals(value.subarray(0, 48))) unspent.push(key);
  const gone = [
    taken,
    ...unspent,
    ...(await keysOf(LAYOUT.buckets.prefix, 1)),
    ...(await keysOf(LAYOUT.balances.prefix)),
  ];
  const deletions = gone.map((key) => ({ type: 'del', key }) as const);
  await keyValues.write(deletions, { sync: true });
  return amount;
}

function pieceOf(index: number, count: number, amount: bigint) {
  const piece = amount / BigInt(count);
  const record: OutputRecord = {
    address: keyAddress(idOf(`owner ${index}`)),
    amount: index === 0 ? amount - piece * BigInt(count - 1) : piece,
    source: 'regular',
    height: 0,
  };
  return {
    outpoint: outpointKey({ transactionId: idOf(`piece ${index}`), outputIndex: 0 }),
    record,
  };
}

function idOf(text: string): string {
  return createHash('sha384').update(text).digest('hex');
}

/**
 * Writes the chain that a node of a simulation has decided into the real store, cut by cut, as a node
 * that catches up does. The store executes every cut against its own state.
 */
import { applyCut, checkCut } from 'svc-ledger';
import { type LedgerStore, MemoryStore, openStoreOn } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { hashLabel, rootOfList } from 'svc-wasm/protocol';
import type { LedgerLevel } from '../src/ledger/ledger-level.ts';
import { asLedgerCut, type Execution } from '../src/ledger/replica.ts';
import { createGenesis } from '../src/ledger/setting.ts';
import type { Node } from '../src/node/node.ts';

/** Opens the store again after every so many cuts, which checks all that it finds. */
const REOPEN_CUTS = 10;

export async function replayIntoStore(level: LedgerLevel, node: Node): Promise<LedgerStore> {
  const { setting } = level;
  const { parameters, wires: signatures } = setting;
  const database = new MemoryStore();
  const options = { chainId: toHex(setting.chainId), parameters, mode: 'archive' } as const;
  let store = await openStoreOn(database, options);
  await store.initialize(createGenesis(setting, store.commitments));
  for (const [place, { cut }] of node.disk.chain.entries()) {
    if (place % REOPEN_CUTS === REOPEN_CUTS - 1) store = await openStoreOn(database, options);
    const { input } = level.replicaOf(node).executions[place] as Execution;
    const fault = checkCut(parameters, store.view, input);
    if (fault !== null) throw new Error(`cut ${input.height}: ${fault.part}`);
    await store.prepare(input);
    const { chainId, commitments } = store;
    const ports = {
      chainId,
      parameters,
      hash: hashLabel,
      listRoot: rootOfList,
      signatures,
      commitments,
    };
    const result = applyCut(ports, store.view, input);
    const { header, body } = level.replicaOf(node).encode(asLedgerCut(cut));
    const blocks = asLedgerCut(cut).registered.map(({ bytes }) => bytes);
    await store.commit({ input, result, header, body, certificate: null, blocks });
  }
  return store;
}

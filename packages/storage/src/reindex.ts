/**
 * Rebuilds a store from the chain of another: every cut is executed again by the ledger, and every root
 * is compared with its header. The old store is only read; it must be an archive.
 */
import { applyCut, type CutInput, type GenesisResult, type LedgerPorts } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import { decodeCutBody, decodeCutHeader } from 'svc-wasm/protocol';
import type { ChainReader } from './chain-reader.ts';
import type { BlockBytes } from './commit/cut-commit.ts';
import { StoreDamagedError, StoreUnavailableError } from './errors.ts';
import type { LedgerStore } from './ledger-store.ts';

/** A cut as it is stored, with the blocks it registers and those it executes. */
export interface StoredCut {
  readonly height: number;
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  readonly certificate: Uint8Array | null;
  readonly registered: readonly BlockBytes[];
  readonly executed: readonly BlockBytes[];
}

export interface ReindexOptions {
  readonly genesis: GenesisResult;
  readonly ports: Omit<LedgerPorts, 'commitments'>;
  /** Decodes a cut for the ledger; its finality is not checked again. */
  readonly inputOf: (cut: StoredCut) => CutInput;
  readonly onCut?: (height: number) => void;
}

/** Replays up to the reader's head; a store that was broken off continues where it stopped. */
export async function reindex(
  reader: ChainReader,
  store: LedgerStore,
  { genesis, ports, inputOf, onCut }: ReindexOptions,
): Promise<void> {
  if (store.head === null) await store.initialize(genesis);
  for (let height = (store.head?.height ?? 0) + 1; height <= reader.head.height; height++) {
    const cut = await readStoredCut(reader, height);
    const input = inputOf(cut);
    const result = applyCut({ ...ports, commitments: store.commitments }, store.view, input);
    const expected = toHex(decodeCutHeader(cut.header).stateRoot);
    if (result.stateRoot !== expected) {
      throw new StoreDamagedError(
        `cut ${height} commits to state ${expected}, executing it gives ${result.stateRoot}; sync anew`,
      );
    }
    const { header, body, certificate, registered } = cut;
    await store.commit({ input, result, header, body, certificate, blocks: registered });
    onCut?.(height);
  }
}

export async function readStoredCut(reader: ChainReader, height: number): Promise<StoredCut> {
  const row = await reader.cut(height);
  const body = await reader.cutBody(height);
  if (row === undefined || body === undefined) throw unavailable(`cut ${height}`);
  const certificate = (await reader.certificate(height)) ?? null;
  const registered = await blocksOf(reader, body);
  const before = height === 1 ? undefined : await reader.cutBody(height - 1);
  const executed = before === undefined ? [] : await blocksOf(reader, before);
  return { height, header: row.header, body, certificate, registered, executed };
}

async function blocksOf(reader: ChainReader, body: Uint8Array): Promise<BlockBytes[]> {
  const ids = decodeCutBody(body).blockIds.map((id) => toHex(id));
  return Promise.all(
    ids.map(async (id) => {
      const header = await reader.blockHeader(id);
      const blockBody = await reader.blockBody(id);
      if (header === undefined || blockBody === undefined) throw unavailable(`block ${id}`);
      return { id, header, body: blockBody };
    }),
  );
}

function unavailable(what: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `${what} is not in this store; only an archive can be reindexed`,
  );
}

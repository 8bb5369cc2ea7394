/**
 * What a store that was filled from a snapshot must show before a node uses it. Its state has the root of the cut
 * that the operator trusts; from there on everything else is checked: who signed the cut, the headers before it,
 * and the blocks that the next cut executes.
 */
import { CliError, EXIT } from 'svc-base/cli';
import { blocksToExecute, type EpochRecord, SINGLE_KEY, WireTransactions } from 'svc-ledger';
import { type ChainReader, type LedgerStore, PAGE_LIMITS } from 'svc-storage';
import { SvcError, toHex } from 'svc-wasm/base';
import { checkCut, cutId, decodeCutHeader, type Manifest } from 'svc-wasm/protocol';
import { setOfCommittee } from '../../chain/validator-sets.ts';
import { readWorkBlock } from '../../chain/work-blocks.ts';

interface Proof {
  readonly manifest: Manifest;
}

/** Throws a `CliError` unless everything that came with the state is proven. */
export async function expectProven(store: LedgerStore, { manifest }: Proof): Promise<void> {
  const reader = store.reader();
  try {
    await expectSigned(reader, store, manifest);
    await expectLinked(reader);
    await expectBlocks(reader, store, manifest);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw refused(error.message);
  } finally {
    await reader.close();
  }
}

async function expectSigned(
  reader: ChainReader,
  { view }: LedgerStore,
  { chainId }: Manifest,
): Promise<void> {
  const { height } = reader.head;
  const set = setOfCommittee(view.get('epoch', SINGLE_KEY) as EpochRecord);
  const cut = await reader.cut(height);
  const certificate = await reader.certificate(height);
  if (cut === undefined || certificate === undefined) throw refused('it has no certified cut');
  if (toHex(decodeCutHeader(cut.header).validatorSetId) !== toHex(set.id))
    throw refused('another epoch begins after its cut; use a snapshot of another cut');
  checkCut(cut.header, certificate, set, chainId);
}

/** From the trusted cut back: each header names the one before it. */
async function expectLinked(reader: ChainReader): Promise<void> {
  let parent = reader.head.cutId;
  let { height } = reader.head;
  for (let before: number | undefined; ; ) {
    const { rows, next } = await reader.cuts({ before, limit: PAGE_LIMITS.cuts });
    for (const row of rows) {
      const isLinked = row.height === height && row.cutId === parent;
      if (!isLinked || toHex(cutId(row.header)) !== parent)
        throw refused(`header ${row.height} does not lead to its cut`);
      parent = toHex(decodeCutHeader(row.header).parentCutId);
      height -= 1;
    }
    if (next === null) return;
    before = next;
  }
}

async function expectBlocks(
  reader: ChainReader,
  { view }: LedgerStore,
  manifest: Manifest,
): Promise<void> {
  const transactions = new WireTransactions(manifest);
  for (const { id } of blocksToExecute(view, reader.head.height + 1)) {
    const header = await reader.blockHeader(id);
    const body = await reader.blockBody(id);
    if (header === undefined || body === undefined) throw refused(`block ${id} is not in it`);
    if (readWorkBlock({ header, body }, manifest, transactions).block.id !== id)
      throw refused(`it has another block instead of ${id}`);
  }
}

function refused(reason: string): CliError {
  return new CliError(EXIT.refused, `the snapshot is not proven: ${reason}`, {
    hint: 'get it from another node',
  });
}

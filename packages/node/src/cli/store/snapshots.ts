/**
 * Snapshots: exported from a store, proven, and imported into an empty one.
 */
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { CliError, EXIT, note, result } from 'svc-base/cli';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { blocksToExecute, type EpochRecord, SINGLE_KEY, WireTransactions } from 'svc-ledger';
import {
  type ChainReader,
  ChecksummedStore,
  expectWholeSnapshot,
  exportSnapshot,
  importSnapshot,
  type LedgerStore,
  PAGE_LIMITS,
  type SnapshotHead,
} from 'svc-storage';
import { SvcError, toHex } from 'svc-wasm/base';
import {
  checkCut,
  cutId,
  decodeCertificateHead,
  decodeCutHeader,
  type Manifest,
} from 'svc-wasm/protocol';
import { lockImport } from '../../chain/import-lock.ts';
import { finishReplacing, importedPath, placeChain } from '../../chain/replace-chain.ts';
import { REFUSAL_MARK, snapshotSocket } from '../../chain/snapshot-listener.ts';
import { setOfCommittee } from '../../chain/validator-sets.ts';
import { readWorkBlock } from '../../chain/work-blocks.ts';
import { keepGenesis } from '../../config/genesis-file.ts';
import type { CommandOptions } from '../config-options.ts';
import { ImportReport } from './import-report.ts';
import { type ChainPlace, chainPlace, withStore } from './open-store.ts';
import { isIdentifier } from './store-document.ts';

/**
 * `svcd snapshot export`: the state of the head as one file, complete or not there. A node that runs hands it out over
 * the socket in its data directory; the store of one that does not run is opened.
 */
export async function exportToFile(name: string, options: CommandOptions): Promise<void> {
  const file = resolve(name);
  if (existsSync(file)) throw new CliError(EXIT.refused, `${file} is there already`);
  const place = await chainPlace(options);
  const socket = await connectTo(snapshotSocket(place.config.dataDir));
  const { height, header } =
    socket === undefined
      ? await withStore(place, (store) => writeWhole(exportSnapshot(store), file))
      : await writeWhole(answerOf(socket), file);
  const { size } = statSync(file);
  note(`cut ${height}, ${size} bytes; import it with --trust-cut and the id below`);
  result(toHex(cutId(header)));
}

/** Undefined if no node listens there. */
function connectTo(path: string | null): Promise<Socket | undefined> {
  if (path === null || !existsSync(path)) return Promise.resolve(undefined);
  return new Promise((resolveSocket, reject) => {
    const socket = connect(path, () => resolveSocket(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const isLeftBehind = error.code === 'ECONNREFUSED' || error.code === 'ENOENT';
      if (isLeftBehind) resolveSocket(undefined);
      else reject(error);
    });
  });
}

async function* answerOf(socket: Socket): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    if (isFirst && chunk.toString('latin1', 0, 1) === REFUSAL_MARK)
      throw new CliError(
        EXIT.failed,
        `the node exports nothing: ${chunk.toString('utf8', 1).trim()}`,
      );
    isFirst = false;
    yield chunk;
  }
}

/** What is broken off, by the node or by the disk, leaves no file. */
async function writeWhole(parts: AsyncIterable<Uint8Array>, file: string): Promise<SnapshotHead> {
  const temporary = `${file}.new`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    for await (const part of parts) await handle.writeFile(part);
    await handle.sync();
    const head = await expectWholeSnapshot(createReadStream(temporary));
    renameSync(temporary, file);
    return head;
  } finally {
    await handle.close();
    rmSync(temporary, { force: true });
  }
}

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

/**
 * `svcd snapshot import`: fills an empty data directory from a file. The state is believed because its root
 * is in a cut that the operator names; a node that started so is never a validator. The store is filled and proven beside
 * the place of the chain and moves there as the last thing, so that a kill leaves nothing that a node would run on.
 */
export async function importFromFile(file: string, options: CommandOptions): Promise<void> {
  const trusted = String(options['trustCut']);
  if (!isIdentifier(trusted)) {
    throw new CliError(EXIT.usage, '--trust-cut: expected 96 lower-case hexadecimal characters');
  }
  if (!existsSync(file)) throw new CliError(EXIT.failed, `there is no file ${file}`);
  const place = await chainPlace(options);
  if (place.config.validator !== null) {
    throw new CliError(EXIT.refused, 'a validator is never started from a snapshot', {
      hint: 'let it sync from the genesis, or import without the section validator',
    });
  }
  finishReplacing(place.directory);
  if (existsSync(place.directory)) {
    throw new CliError(EXIT.refused, `${place.directory} is there already`, {
      hint: 'a snapshot fills an empty data directory; name another with --data-dir',
    });
  }
  keepGenesis(place.config.dataDir, place);
  const height = await fill(place, file, trusted);
  note(`the state of cut ${height} was taken over; start the node with \`svcd run\``);
  result(String(height));
}

interface Filling {
  readonly directory: string;
  readonly mode: 'full' | 'pruned';
  readonly file: string;
  readonly trusted: string;
}

async function fill(place: ChainPlace, file: string, trusted: string): Promise<number> {
  const { mode } = place.config.storage;
  if (mode === 'archive') {
    throw new CliError(EXIT.refused, 'an archive holds everything from the genesis on', {
      hint: 'a snapshot does not; use --storage-mode full or pruned',
    });
  }
  const lock = await lockImport(place.directory);
  if (lock === undefined)
    throw new CliError(EXIT.refused, `another import into ${place.directory} is under way`);
  try {
    const directory = join(importedPath(place.directory), 'chain');
    const height = await fillBeside(place, { directory, mode, file, trusted });
    expectNoChain(place.directory, directory);
    placeChain(place.directory, directory);
    removeImported(place.directory);
    return height;
  } finally {
    await lock.close();
  }
}

/** Fills and proves a store in this directory; what is not proven does not stay. */
async function fillBeside(
  place: ChainPlace,
  { directory, mode, file, trusted }: Filling,
): Promise<number> {
  if (existsSync(directory)) {
    rmSync(directory, { recursive: true });
    note(`removed what a broken-off import had left in ${directory}`);
  }
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const imported = { ...place, directory };
  try {
    const height = await importInto(imported, mode, file, trusted);
    await withStore(imported, (store) => expectProven(store, place));
    return height;
  } catch (error) {
    removeImported(place.directory);
    throw error;
  }
}

/** Called while the lock is held, which is in this folder too: the next import makes another. */
function removeImported(chain: string): void {
  rmSync(importedPath(chain), { recursive: true, force: true });
}

/** A node may have begun one meanwhile; what was imported stays for the operator to choose. */
function expectNoChain(chain: string, imported: string): void {
  if (!existsSync(chain)) return;
  throw new CliError(EXIT.refused, `${chain} was begun while the snapshot was imported`, {
    hint: `what was imported is proven: stop the node, delete ${chain} and move ${imported} there; or delete ${imported}`,
  });
}

async function importInto(
  { directory, chainId }: ChainPlace,
  mode: 'full' | 'pruned',
  file: string,
  trusted: string,
): Promise<number> {
  const level = await ChecksummedStore.open(join(directory, 'db'));
  const { size } = statSync(file);
  const stream = createReadStream(file);
  const report = new ImportReport(SYSTEM_CLOCK, (percent) => {
    note(`putting the state in its place: ${percent} %`);
  });
  try {
    const { height } = await importSnapshot(level, stream, {
      chainId,
      mode,
      directory,
      onProgress: ({ outputsRead, outputsPlaced }) => {
        report.report(stream.bytesRead / size, outputsPlaced / Math.max(1, outputsRead));
      },
      checkCertificate: (header, certificate) => expectCut(header, certificate, trusted),
    });
    return height;
  } finally {
    await level.close();
  }
}

/** Checks which cut header and certificate are of; `expectProven` checks the signatures once the keys are there. */
function expectCut(header: Uint8Array, certificate: Uint8Array, trusted: string): void {
  const found = toHex(cutId(header));
  if (found !== trusted) {
    throw new CliError(EXIT.refused, `the snapshot is of cut ${found}, not of ${trusted}`);
  }
  const certified = toHex(decodeCertificateHead('precommit', certificate, 'certificate').cutId);
  if (certified !== found) {
    throw new CliError(EXIT.refused, `its certificate is of cut ${certified}`);
  }
}

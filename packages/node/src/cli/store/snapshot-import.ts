/**
 * `svcd snapshot import`: fills an empty data directory from a file. The state is believed because its root
 * is in a cut that the operator names; a node that started so is never a validator. The store is filled and proven beside
 * the place of the chain and moves there as the last thing, so that a kill leaves nothing that a node would run on.
 */
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, EXIT, note, result } from 'svc-base/cli';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { ChecksummedStore, importSnapshot, LevelStore } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { cutId, decodeCertificateHead } from 'svc-wasm/protocol';
import { finishReplacing, importedPath, placeChain } from '../../chain/replace-chain.ts';
import { keepGenesis } from '../../config/genesis-file.ts';
import type { CommandOptions } from '../config-options.ts';
import { isIdentifier } from './identifier.ts';
import { ImportReport } from './import-report.ts';
import { type ChainPlace, chainPlace, withStore } from './open-store.ts';
import { expectProven } from './snapshot-proof.ts';

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
  await removeBrokenOff(importedPath(place.directory));
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

async function fill(place: ChainPlace, file: string, trusted: string): Promise<number> {
  const { mode } = place.config.storage;
  if (mode === 'archive') {
    throw new CliError(EXIT.refused, 'an archive holds everything from the genesis on', {
      hint: 'a snapshot does not; use --storage-mode full or pruned',
    });
  }
  const directory = importedPath(place.directory);
  const imported = { ...place, directory };
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  try {
    const height = await importInto(imported, mode, file, trusted);
    await withStore(imported, (store) => expectProven(store, place));
    placeChain(place.directory, directory);
    return height;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Removes what a kill has left of an earlier import; one that is under way keeps its folder. */
async function removeBrokenOff(directory: string): Promise<void> {
  const removed = `${directory}.removed`;
  rmSync(removed, { recursive: true, force: true });
  if (!existsSync(directory)) return;
  if (await isHeld(join(directory, 'db')))
    throw new CliError(EXIT.refused, `another import into ${directory} is under way`);
  // By another name first: an import that goes on with it at this moment finds all of it, or nothing.
  renameSync(directory, removed);
  rmSync(removed, { recursive: true, force: true });
  note(`removed what a broken-off import had left in ${directory}`);
}

/** Whether another process has the database open, by the lock of the engine; what else is wrong with it does not matter. */
async function isHeld(database: string): Promise<boolean> {
  if (!existsSync(database)) return false;
  try {
    const level = await LevelStore.open(database);
    await level.close();
    return false;
  } catch (error) {
    return (error as { cause?: { code?: unknown } }).cause?.code === 'LEVEL_LOCKED';
  }
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

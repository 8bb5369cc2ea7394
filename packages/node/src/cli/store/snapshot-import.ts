/**
 * `svcd snapshot import`: fills an empty data directory from a file. The state is believed because its root
 * is in a cut that the operator names; a node that started so is never a validator. The store is filled and proven beside
 * the place of the chain and moves there as the last thing, so that a kill leaves nothing that a node would run on.
 */
import { createReadStream, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, EXIT, note, result } from 'svc-base/cli';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { ChecksummedStore, importSnapshot } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { cutId, decodeCertificateHead } from 'svc-wasm/protocol';
import { lockImport } from '../../chain/import-lock.ts';
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

/** Called while the lock is held, which lies in this folder too: whoever comes next makes another. */
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

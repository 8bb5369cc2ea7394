/**
 * `svcd snapshot import`: fills an empty data directory from a file. The state is believed because its root
 * is in a cut that the operator names; a node that started so is never a validator.
 */
import { createReadStream, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, EXIT, note, result } from 'svc-base/cli';
import { syncDirectory, syncTreeSync } from 'svc-base/node';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { ChecksummedStore, importSnapshot } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { cutId, decodeCertificateHead } from 'svc-wasm/protocol';
import { finishReplacing } from '../../chain/replace-chain.ts';
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

async function fill(place: ChainPlace, file: string, trusted: string): Promise<number> {
  const { mode } = place.config.storage;
  if (mode === 'archive') {
    throw new CliError(EXIT.refused, 'an archive holds everything from the genesis on', {
      hint: 'a snapshot does not; use --storage-mode full or pruned',
    });
  }
  mkdirSync(place.directory, { recursive: true, mode: 0o700 });
  let isDone = false;
  try {
    const height = await importInto(place, mode, file, trusted);
    await withStore(place, (store) => expectProven(store, place));
    syncTreeSync(place.directory);
    await syncDirectory(place.config.dataDir);
    isDone = true;
    return height;
  } finally {
    if (!isDone) rmSync(place.directory, { recursive: true, force: true });
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

/**
 * `svcd snapshot export`: the state of the head as one file, complete or not there.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError, EXIT, note, result } from 'svc-base/cli';
import { exportSnapshot, type LedgerStore } from 'svc-storage';
import type { CommandOptions } from '../config-options.ts';
import { chainPlace, withStore } from './open-store.ts';

export async function exportToFile(name: string, options: CommandOptions): Promise<void> {
  const file = resolve(name);
  if (existsSync(file)) throw new CliError(EXIT.refused, `${file} is there already`);
  const place = await chainPlace(options);
  await withStore(place, async (store) => {
    const bytes = await write(store, file);
    const { height, cutId } = store.head as NonNullable<LedgerStore['head']>;
    note(`cut ${height}, ${bytes} bytes; import it with --trust-cut and the id below`);
    result(cutId);
  });
}

async function write(store: LedgerStore, file: string): Promise<number> {
  const temporary = `${file}.new`;
  const handle = await open(temporary, 'w', 0o600);
  let bytes = 0;
  try {
    for await (const chunk of exportSnapshot(store)) {
      await handle.writeFile(chunk);
      bytes += chunk.length;
    }
    await handle.sync();
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  renameSync(temporary, file);
  return bytes;
}

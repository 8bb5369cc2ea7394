/**
 * `svcd snapshot export`: the state of the head as one file, complete or not there. A node that runs hands it out over
 * the socket in its data directory; the store of one that does not run is opened.
 */
import { createReadStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { CliError, EXIT, note, result } from 'svc-base/cli';
import { expectWholeSnapshot, exportSnapshot, type SnapshotHead } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { cutId } from 'svc-wasm/protocol';
import { REFUSAL_MARK, snapshotSocket } from '../../chain/snapshot-listener.ts';
import type { CommandOptions } from '../config-options.ts';
import { chainPlace, withStore } from './open-store.ts';

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

/** Writes everything or fails: a disk that is nearly full takes a part, and says so only when it is asked to take the rest. */
import type { FileHandle } from 'node:fs/promises';

export async function writeAll(
  handle: FileHandle,
  pieces: readonly Uint8Array[],
  offset: number,
): Promise<void> {
  const { bytesWritten } = await handle.writev(pieces, offset);
  if (bytesWritten === pieces.reduce((sum, { length }) => sum + length, 0)) return;
  const rest = Buffer.concat(pieces).subarray(bytesWritten);
  for (let done = 0; done < rest.length; ) {
    const written = await handle.write(
      rest,
      done,
      rest.length - done,
      offset + bytesWritten + done,
    );
    done += written.bytesWritten;
  }
}

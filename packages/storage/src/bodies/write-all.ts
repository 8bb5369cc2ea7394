/** Writes everything or fails: a nearly full disk takes a part, and reports an error only when it is given the rest. */
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

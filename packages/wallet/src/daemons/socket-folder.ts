/**
 * The folder of the sockets between the listener in front and the daemons behind it. Nobody else may enter it, so that
 * nobody else can listen there: a port, once its daemon has ended, belongs to whoever takes it.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from 'svc-base/pure';
import { UsageError } from '../base/usage-error.ts';

/** Systems take longer names of sockets for others, or cut them. */
const PATH_BYTES_MAX = 100;
const OTHER_FOLDER = 'name a folder that this user may write to with TMPDIR';

export class SocketFolder {
  readonly #path: string;

  /** Made anew, for its owner alone. */
  constructor(parent: string = parentOf(process.env)) {
    const longest = join(parent, 'svc-wallet-XXXXXX', '00');
    if (Buffer.byteLength(longest) > PATH_BYTES_MAX) {
      const message = `sockets cannot be made in ${parent}: its name is too long`;
      throw new UsageError(message, 'name a shorter folder for temporary files with TMPDIR');
    }
    try {
      this.#path = mkdtempSync(join(parent, 'svc-wallet-'));
    } catch (error) {
      const message = `sockets cannot be made in ${parent}: ${messageOf(error)}`;
      throw new UsageError(message, OTHER_FOLDER);
    }
  }

  /** Where the daemon of a wallet listens. */
  socketOf(at: number): string {
    return join(this.#path, String(at));
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}

/** What systemd made for this service alone (the first, of several), else the folder for temporary files. */
export function parentOf({ RUNTIME_DIRECTORY }: NodeJS.ProcessEnv): string {
  const [own = ''] = (RUNTIME_DIRECTORY ?? '').split(':');
  const isFolder = own !== '' && statSync(own, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? own : tmpdir();
}

/**
 * The folder of the sockets between the listener in front and the daemons behind it. Nobody else may enter it, so that
 * nobody else can listen there: a port, once its daemon has ended, belongs to whoever takes it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../base/usage-error.ts';

/** Systems take longer names of sockets for others, or cut them. */
const PATH_BYTES_MAX = 100;

export class SocketFolder {
  readonly #path: string;

  /** Made anew, for its owner alone. */
  constructor(parent: string = tmpdir()) {
    const longest = join(parent, 'svc-wallet-XXXXXX', '00');
    if (Buffer.byteLength(longest) > PATH_BYTES_MAX) {
      const message = `sockets cannot be made in ${parent}: its name is too long`;
      throw new UsageError(message, 'name a shorter folder for temporary files with TMPDIR');
    }
    this.#path = mkdtempSync(join(parent, 'svc-wallet-'));
  }

  /** Where the daemon of a wallet listens. */
  socketOf(at: number): string {
    return join(this.#path, String(at));
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}

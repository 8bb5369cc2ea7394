/**
 * The folder of the sockets between the listener in front and the daemons behind it. Nobody else may enter it, so that
 * nobody else can listen there: a port, once its daemon has ended, belongs to whoever takes it. A listener that was killed
 * leaves its folder behind; whoever makes the next one removes it.
 */
import { once } from 'node:events';
import { lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from 'svc-base/pure';
import { UsageError } from '../base/usage-error.ts';

/** Systems take longer names of sockets for others, or cut them. */
const PATH_BYTES_MAX = 100;
const OTHER_FOLDER = 'name a folder that this user may write to with TMPDIR';
const PREFIX = 'svc-wallet-';
/** Whoever made the folder listens at this socket for as long as it lives: the system takes that away with the process. */
const OWNER = 'front';

export class SocketFolder {
  readonly #path: string;
  readonly #owner: Server;

  /** Made anew, for its owner alone. */
  static async make(parent: string = parentOf(process.env)): Promise<SocketFolder> {
    const longest = join(parent, `${PREFIX}XXXXXX`, OWNER);
    if (Buffer.byteLength(longest) > PATH_BYTES_MAX) {
      const message = `sockets cannot be made in ${parent}: its name is too long`;
      throw new UsageError(message, 'name a shorter folder for temporary files with TMPDIR');
    }
    try {
      await removeDead(parent);
      const path = mkdtempSync(join(parent, PREFIX));
      const owner = createServer((socket) => socket.destroy()).unref();
      await once(owner.listen(join(path, OWNER)), 'listening');
      return new SocketFolder(path, owner);
    } catch (error) {
      const message = `sockets cannot be made in ${parent}: ${messageOf(error)}`;
      throw new UsageError(message, OTHER_FOLDER);
    }
  }

  private constructor(path: string, owner: Server) {
    this.#path = path;
    this.#owner = owner;
  }

  /** Where the daemon of a wallet listens. */
  socketOf(at: number): string {
    return join(this.#path, String(at));
  }

  remove(): void {
    this.#owner.close();
    rmSync(this.#path, { recursive: true, force: true });
  }
}

/** Removes the folders of this user whose owner lives no more. One that has no such socket may be in the making. */
async function removeDead(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(parent, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) continue;
    if (await isDead(join(path, OWNER))) rmSync(path, { recursive: true, force: true });
  }
}

/** Whether there is a socket and nobody listens at it. */
function isDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
}

/** What systemd made for this service alone (the first, of several), else the folder for temporary files. */
export function parentOf({ RUNTIME_DIRECTORY }: NodeJS.ProcessEnv): string {
  const [own = ''] = (RUNTIME_DIRECTORY ?? '').split(':');
  const isFolder = own !== '' && statSync(own, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? own : tmpdir();
}

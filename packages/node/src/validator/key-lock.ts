/**
 * Only one process of a machine uses a consensus key on a chain. A listening socket named by the key is the
 * lock: the system frees it when its holder ends, however that ends. It does not reach other machines
 * or network namespaces; there the signer's own watch for its votes must do.
 */
import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyLock } from 'svc-finality';
import { equalBytes, toHex } from 'svc-wasm/base';

const NO_CHAIN = new Uint8Array(0);

export class SocketKeyLock implements KeyLock {
  readonly #keyId: Uint8Array;
  #server: Server | undefined;
  #isTaken = false;

  private constructor(keyId: Uint8Array, server: Server | undefined) {
    this.#keyId = keyId;
    this.#server = server;
  }

  /**
   * Tries to become the only holder; `acquire` then says, without waiting, whether it worked. What is signed
   * names its chain, so the same key on two chains does not contradict itself.
   */
  static async claim(keyId: Uint8Array, chainId: Uint8Array = NO_CHAIN): Promise<SocketKeyLock> {
    const path = lockPath(keyId, chainId);
    const server = (await listen(path)) ?? (await retryStale(path));
    return new SocketKeyLock(keyId, server);
  }

  acquire(keyId: Uint8Array): boolean {
    if (this.#server === undefined || this.#isTaken) return false;
    if (!equalBytes(keyId, this.#keyId)) return false;
    this.#isTaken = true;
    return true;
  }

  release(): void {
    this.#isTaken = false;
    this.#server?.close();
    this.#server = undefined;
  }
}

/**
 * Linux: an abstract name. Windows: a pipe. Elsewhere: a socket file, which may outlive its holder, and
 * whose path must be short.
 */
function lockPath(keyId: Uint8Array, chainId: Uint8Array): string {
  const [key, chain] = [toHex(keyId), toHex(chainId)];
  const name = `svc-key-${key.slice(0, 64)}-${chain.slice(0, 24)}`;
  if (process.platform === 'linux') return `\0${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return join(tmpdir(), `svc-key-${key.slice(0, 24)}-${chain.slice(0, 8)}`);
}

function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined);
      else reject(error);
    });
    server.listen(path, () => resolve(server));
  });
}

async function retryStale(path: string): Promise<Server | undefined> {
  if (process.platform === 'linux' || process.platform === 'win32') return undefined;
  if (await answers(path)) return undefined;
  rmSync(path, { force: true });
  return await listen(path);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

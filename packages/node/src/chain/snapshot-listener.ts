/**
 * The socket over which a running node hands out a snapshot of its state: a file in the data directory that only the
 * node's user may open. A client gets the bytes of one snapshot, or a line that begins with `!` and says why
 * there is none. Must not read anything from the client.
 */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Clock, type Log, messageOf } from 'svc-base/pure';
import { exportSnapshot } from 'svc-storage';
import type { ChainCore } from './chain-core.ts';

export interface SnapshotListenerPorts {
  readonly chain: Pick<ChainCore, 'store' | 'finalized' | 'parameters'>;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

type SnapshotBytes = AsyncGenerator<Uint8Array, void>;

export const REFUSAL_MARK = '!';
/** The longest path that every system takes for a socket. */
const PATH_BYTES_MAX = 100;
const OWNER_ONLY = 0o600;
const OWNER_ONLY_UMASK = 0o177;
/** A reader that takes nothing for so long is cut off: what changes meanwhile is kept in memory for it. */
const IDLE_MILLIS_MAX = 60_000;
/** How long a snapshot may wait for a cut that can be exported. */
const CUT_MILLIS_MAX = 60_000;

/** Null where the system has no such sockets, or the path is too long for one. */
export function snapshotSocket(dataDir: string): string | null {
  const path = join(dataDir, 'snapshot.socket');
  const isUsable = process.platform !== 'win32' && Buffer.byteLength(path) <= PATH_BYTES_MAX;
  return isUsable ? path : null;
}

export class SnapshotListener {
  readonly #ports: SnapshotListenerPorts;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isExporting = false;

  /** The store must be open: its owner may replace a socket that another process left behind. */
  static async open(ports: SnapshotListenerPorts): Promise<SnapshotListener | undefined> {
    const path = snapshotSocket(ports.dataDir);
    if (path === null) {
      ports.log.warn(
        {},
        'snapshots are exported only while the node is stopped: no socket fits here',
      );
      return undefined;
    }
    const listener = new SnapshotListener(ports);
    rmSync(path, { force: true });
    const umask = process.umask(OWNER_ONLY_UMASK);
    try {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      listener.#server.once('error', reject).listen(path, resolve);
      await promise;
    } finally {
      process.umask(umask);
    }
    chmodSync(path, OWNER_ONLY);
    return listener;
  }

  private constructor(ports: SnapshotListenerPorts) {
    this.#ports = ports;
    this.#server = createServer((socket) => void this.#serve(socket));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(socket: Socket): Promise<void> {
    const { log } = this.#ports;
    this.#sockets.add(socket);
    const gone = new AbortController();
    socket.once('close', () => {
      this.#sockets.delete(socket);
      gone.abort();
    });
    socket.on('error', () => socket.destroy());
    socket.resume().setTimeout(IDLE_MILLIS_MAX + CUT_MILLIS_MAX, () => socket.destroy());
    if (this.#isExporting) return refuse(socket, 'another snapshot is being exported');
    this.#isExporting = true;
    try {
      const bytes = await this.#begin(gone.signal);
      await pipeline(bytes, socket);
      log.info({ bytes: socket.bytesWritten }, 'exported a snapshot');
    } catch (error) {
      if (!gone.signal.aborted) log.warn({ reason: messageOf(error) }, 'exported no snapshot');
      if (socket.bytesWritten === 0) refuse(socket, messageOf(error));
      else socket.destroy();
    } finally {
      this.#isExporting = false;
    }
  }

  /** The snapshot of the head, or else of the next cut that can be exported. */
  #begin(gone: AbortSignal): Promise<SnapshotBytes> {
    const { chain, clock } = this.#ports;
    const { promise, resolve, reject } = Promise.withResolvers<SnapshotBytes>();
    let reason = 'the head cannot be exported';
    let isBegun = false;
    const attempt = (): void => {
      if (isBegun) return;
      try {
        resolve(this.#exportHead());
        isBegun = true;
      } catch (error) {
        reason = messageOf(error);
      }
    };
    const unfollow = chain.finalized.on(attempt);
    const cancel = clock.after(CUT_MILLIS_MAX, () => reject(new Error(reason)));
    gone.addEventListener('abort', () => reject(new Error('nobody waits for it')), { once: true });
    attempt();
    return promise.finally(() => {
      isBegun = true;
      unfollow();
      cancel();
    });
  }

  /** The last cut of an epoch is refused at the import: its state has a committee that did not sign it. */
  #exportHead(): SnapshotBytes {
    const { store, parameters } = this.#ports.chain;
    const height = store.head?.height ?? 0;
    if (height === 0) throw new Error('there is no cut yet');
    if (height % parameters.interval === 0) throw new Error('another epoch begins after the head');
    return exportSnapshot(store);
  }
}

function refuse(socket: Socket, reason: string): void {
  socket.end(`${REFUSAL_MARK}${reason}\n`);
}

/**
 * Only one process of a machine uses a consensus key on a chain. A listening socket is the lock: the system closes it
 * with its holder, however that ends. A process that wants the key listens first, under an unpredictable name, and
 * then looks for other listeners, so that of two at once at least one sees the other.
 *
 * It listens in two places. In the folder of the key's record only a process that may write there can listen, so a
 * listener there holds the key. In the place of the whole machine any process can listen; it finds a copy of the
 * folder, and a listener there counts only if it proves to have the key. Neither reaches other machines or network
 * namespaces; there the signer's own watch for its votes must do.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Clock, type Log, messageOf } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import type { KeyLock } from 'svc-consensus/machine';
import { equalBytes, toHex } from 'svc-wasm/base';
import { folderPlace, type LockPlace, machinePlace, pipePlace } from './lock-places.ts';

const CHALLENGE_BYTES = 32;
/** A listener that is silent for so long has not proven anything. */
const PROOF_MILLIS_MAX = 5_000;
/** Enough for simultaneous clients; others are cut off. */
const CONNECTIONS_MAX = 64;
/** No honest operator has so many processes with one key; more would delay the start without end. */
const OTHERS_MAX = 1_000;
const RANDOM_BYTES = 8;

export interface LockedKey {
  readonly id: Uint8Array;
  /** What only a process with this key can answer. */
  proveHeld(challenge: Uint8Array): Uint8Array;
}

export interface ClaimOptions {
  readonly key: LockedKey;
  /** What is signed names its chain, so the same key on two chains does not contradict itself. */
  readonly chainId: Uint8Array;
  /** The folder of the key's record, which is made if it is not there. */
  readonly folder: string;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Decides whether another listener counts. */
type Judge = (address: string, name: string) => Promise<'holds' | 'gone' | 'unproven'>;

export class SocketKeyLock implements KeyLock {
  readonly #keyId: Uint8Array;
  #held: readonly Listening[];
  #isTaken = false;

  private constructor(keyId: Uint8Array, held: readonly Listening[]) {
    this.#keyId = keyId;
    this.#held = held;
  }

  /** Tries to become the only holder; `acquire` then says, without waiting, whether it worked. */
  static async claim(options: ClaimOptions): Promise<SocketKeyLock> {
    const { key, chainId, folder } = options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const name = nameOf(key.id, chainId);
    if (process.platform === 'win32')
      return new SocketKeyLock(key.id, await listenAlone(pipePlace(name)));
    const held: Listening[] = [];
    for (const [place, judge] of [
      [folderPlace(folder, name), isListening],
      [machinePlace(name), isProven(options)],
    ] as const) {
      const listening = await Listening.open(place, key);
      held.push(listening);
      if (!(await isAlone(listening, judge, options.log))) {
        for (const one of held) one.close();
        return new SocketKeyLock(key.id, []);
      }
    }
    return new SocketKeyLock(key.id, held);
  }

  acquire(keyId: Uint8Array): boolean {
    if (this.#held.length === 0 || this.#isTaken) return false;
    if (!equalBytes(keyId, this.#keyId)) return false;
    this.#isTaken = true;
    return true;
  }

  release(): void {
    this.#isTaken = false;
    for (const one of this.#held) one.close();
    this.#held = [];
  }
}

/** Short enough for the path of a socket in the folder for temporary files. */
function nameOf(keyId: Uint8Array, chainId: Uint8Array): string {
  return `svc-key-${toHex(keyId).slice(0, 24)}-${toHex(chainId).slice(0, 8)}`;
}

/** A socket of this process in a lock place. It answers challenges, for its own name alone, so that no answer can be passed on. */
class Listening {
  readonly place: LockPlace;
  readonly name: string;
  readonly #server: Server;

  static async open(place: LockPlace, key: LockedKey): Promise<Listening> {
    const name = randomBytes(RANDOM_BYTES).toString('hex');
    const server = createServer((socket) => answer(socket, key, name));
    server.maxConnections = CONNECTIONS_MAX;
    server.unref();
    await listen(server, place.addressBefore(name));
    place.publish(name);
    return new Listening(place, name, server);
  }

  private constructor(place: LockPlace, name: string, server: Server) {
    this.place = place;
    this.name = name;
    this.#server = server;
  }

  close(): void {
    this.#server.close();
    this.place.remove(this.name);
  }
}

function answer(socket: Socket, key: LockedKey, name: string): void {
  socket.unref();
  socket.setTimeout(PROOF_MILLIS_MAX, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    const challenge = Buffer.concat(parts);
    if (challenge.length < CHALLENGE_BYTES) return;
    if (challenge.length > CHALLENGE_BYTES) return void socket.destroy();
    socket.end(key.proveHeld(proven(name, challenge)));
  });
}

/** The content of a proof: the name of the proving socket, and the challenge. */
function proven(name: string, challenge: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(name, 'hex'), challenge]);
}

/** Whether no other process holds the key. Sockets of ended processes are removed. */
async function isAlone({ place, name: own }: Listening, judge: Judge, log: Log): Promise<boolean> {
  const others = place
    .names()
    .filter((name) => name !== own)
    .slice(0, OTHERS_MAX);
  const found = await Promise.all(
    others.map(async (name) => ({ name, is: await judge(place.address(name), name) })),
  );
  const unproven = found.filter(({ is }) => is === 'unproven').length;
  if (unproven > 0)
    log.warn(
      { sockets: unproven },
      'a process on this machine listens in the name of the consensus key and does not prove to have it; this is ignored',
    );
  for (const { name, is } of found) if (is === 'gone') place.remove(name);
  return !found.some(({ is }) => is === 'holds');
}

/** A process that may enter the folder has the right to hold the key, also if it is stopped and answers nothing. */
const isListening: Judge = (address) =>
  new Promise((resolve, reject) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve('holds');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (isGone(error)) resolve('gone');
      else
        reject(new Error(`the lock of the consensus key cannot be checked: ${messageOf(error)}`));
    });
  });

function isProven({ key, clock = SYSTEM_CLOCK }: ClaimOptions): Judge {
  return (address, name) =>
    new Promise((resolve) => {
      const challenge = randomBytes(CHALLENGE_BYTES);
      const expected = key.proveHeld(proven(name, challenge));
      const parts: Buffer[] = [];
      let bytes = 0;
      const socket = connect(address, () => socket.write(challenge));
      const end = (judgement: 'holds' | 'gone' | 'unproven') => {
        cancel();
        socket.destroy();
        resolve(judgement);
      };
      const cancel = clock.after(PROOF_MILLIS_MAX, () => end('unproven'));
      socket.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes < expected.length) return;
        const given = Buffer.concat(parts);
        const isRight = bytes === expected.length && timingSafeEqual(given, expected);
        end(isRight ? 'holds' : 'unproven');
      });
      socket.on('close', () => end('unproven'));
      socket.on('error', (error) => end(isGone(error) ? 'gone' : 'unproven'));
    });
}

function isGone(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNREFUSED' || error.code === 'ENOENT';
}

function listen(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** For places where two cannot listen under one name, and names cannot be listed. */
async function listenAlone(place: LockPlace): Promise<Listening[]> {
  const noKey: LockedKey = { id: new Uint8Array(), proveHeld: () => new Uint8Array() };
  try {
    return [await Listening.open(place, noKey)];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' || code === 'EACCES') return [];
    throw error;
  }
}

/**
 * The disk of a full node: files of bytes that keep what was synced and lose an arbitrary part of what was not, the
 * store, and the validator sets of the chain. What the store has committed is never lost.
 */
import type { HeartbeatRecord, HeartbeatStore, LogFile } from 'svc-consensus/shell';
import { type ChainDisk, MemorySets } from 'svc-node/chain';
import { MemoryStore, openStoreOn } from 'svc-storage';
import type { Random } from '../base/random.ts';
import { SignStateFile } from '../world/disk.ts';

const ROOM_BYTES = 1 << 16;

class ByteFile implements LogFile {
  /** Has room for more than the file's length. */
  #room = new Uint8Array(ROOM_BYTES);
  #length = 0;
  #synced = 0;

  read(): Uint8Array {
    return this.#room.slice(0, this.#length);
  }

  append(more: Uint8Array): void {
    const length = this.#length + more.length;
    if (length > this.#room.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#room.subarray(0, this.#length));
      this.#room = larger;
    }
    this.#room.set(more, this.#length);
    this.#length = length;
  }

  sync(): void {
    this.#synced = this.#length;
  }

  reset(): void {
    this.truncate(0);
  }

  truncate(length: number): void {
    this.#length = length;
    this.#synced = length;
  }

  close(): void {}

  crash(random: Random): void {
    this.truncate(random.integer(this.#synced, this.#length));
  }
}

/** What a validator keeps for one consensus key. */
class KeyFiles {
  readonly log = new ByteFile();
  readonly cuts = new ByteFile();
  readonly votes: readonly [ByteFile, ByteFile] = [new ByteFile(), new ByteFile()];
  readonly conflicts = new ByteFile();
  readonly signState = new SignStateFile();

  crash(random: Random): void {
    this.log.crash(random);
    this.cuts.crash(random);
    for (const file of [...this.votes, this.conflicts]) file.crash(random);
    this.signState.crash(random);
  }
}

class MemoryHeartbeat implements HeartbeatStore {
  #record: HeartbeatRecord | undefined;

  read(): HeartbeatRecord | undefined {
    return this.#record;
  }

  write(record: HeartbeatRecord): void {
    this.#record = record;
  }
}

export class ByteDisk {
  readonly #keys = new Map<string, KeyFiles>();
  readonly heartbeat = new MemoryHeartbeat();
  /** What the pool has written; it counts a block as accepted when the block is synced. */
  readonly blocks = new MemoryStore();
  /** Blocks that proposals named. */
  readonly proposals = new MemoryStore();
  /** What the mempool has acknowledged. */
  readonly mempool = new MemoryStore();
  readonly #store = new MemoryStore();
  readonly chain: ChainDisk = {
    sets: new MemorySets(),
    openStore: (options) => openStoreOn(this.#store, options),
  };

  /** The folder of a key; an empty one if there is none yet. */
  filesOf({ keyHash }: { readonly keyHash: string }): KeyFiles {
    const files = this.#keys.get(keyHash) ?? new KeyFiles();
    this.#keys.set(keyHash, files);
    return files;
  }

  crash(random: Random): void {
    for (const files of this.#keys.values()) files.crash(random);
  }
}

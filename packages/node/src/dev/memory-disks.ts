/**
 * The disks of a development network's node in memory. A copy shares the databases with its original until one of them
 * writes. What is written counts as durable at once, so a copy of any moment is what a crash at that moment would leave,
 * and a node starts from it as it would after a crash.
 */
import type { SignStateStorage } from 'svc-finality';
import { type KeyValueStore, MemoryStore, openStoreOn } from 'svc-storage';
import type { HeartbeatRecord, HeartbeatStore, LogFile } from 'svc-validator';
import { type ChainDisk, MemorySets } from '../chain/chain-disk.ts';
import type { NodeDisks } from '../compose/node-disks.ts';
import type { PoolDisk } from '../mempool/pool-store.ts';
import type { ValidatorDisk } from '../validator/validator-disk.ts';

const ROOM_BYTES_MIN = 1 << 12;

class MemoryLog implements LogFile {
  /** Has room for more than the file's length. */
  #room: Uint8Array;
  #length: number;

  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.#room = bytes;
    this.#length = bytes.length;
  }

  copy(): MemoryLog {
    return new MemoryLog(this.read());
  }

  read(): Uint8Array {
    return this.#room.slice(0, this.#length);
  }

  append(more: Uint8Array): void {
    const length = this.#length + more.length;
    if (length > this.#room.length) {
      const larger = new Uint8Array(Math.max(ROOM_BYTES_MIN, 2 * length));
      larger.set(this.#room.subarray(0, this.#length));
      this.#room = larger;
    }
    this.#room.set(more, this.#length);
    this.#length = length;
  }

  sync(): void {}

  reset(): void {
    this.truncate(0);
  }

  truncate(length: number): void {
    this.#length = length;
  }

  close(): void {}
}

class MemoryValidatorDisk implements ValidatorDisk {
  readonly place = 'memory';
  readonly #logs = new Map<string, MemoryLog>();
  #signed: Uint8Array | undefined;
  #nextSigned: Uint8Array | undefined;
  #heartbeat: HeartbeatRecord | undefined;

  copy(): MemoryValidatorDisk {
    const copy = new MemoryValidatorDisk();
    for (const [name, log] of this.#logs) copy.#logs.set(name, log.copy());
    copy.#signed = this.#signed;
    copy.#nextSigned = this.#nextSigned;
    copy.#heartbeat = this.#heartbeat;
    return copy;
  }

  get signState(): SignStateStorage {
    return {
      read: () => this.#signed,
      writeTemporary: (bytes) => {
        this.#nextSigned = bytes.slice();
      },
      syncTemporary: () => {},
      renameTemporary: () => {
        this.#signed = this.#nextSigned;
      },
      syncDirectory: () => {},
    };
  }

  get heartbeats(): HeartbeatStore {
    return {
      read: () => this.#heartbeat,
      write: (record) => {
        this.#heartbeat = record;
      },
    };
  }

  open(): void {}

  openLog(name: string): LogFile {
    const log = this.#logs.get(name) ?? new MemoryLog();
    this.#logs.set(name, log);
    return log;
  }
}

export class MemoryDisks implements NodeDisks {
  readonly scrubbed = [];
  #sets = new MemorySets();
  #store = new MemoryStore();
  #mempool = new MemoryStore();
  #blocks = new MemoryStore();
  #proposals = new MemoryStore();
  readonly #validators = new Map<string, MemoryValidatorDisk>();

  copy(): MemoryDisks {
    const copy = new MemoryDisks();
    copy.#sets = this.#sets.copy();
    copy.#store = this.#store.copy();
    copy.#mempool = this.#mempool.copy();
    copy.#blocks = this.#blocks.copy();
    copy.#proposals = this.#proposals.copy();
    for (const [name, disk] of this.#validators) copy.#validators.set(name, disk.copy());
    return copy;
  }

  get chain(): ChainDisk {
    return { sets: this.#sets, openStore: (options) => openStoreOn(this.#store, options) };
  }

  async openMempool(): Promise<PoolDisk> {
    return this.#mempool;
  }

  async openBlocks(): Promise<KeyValueStore> {
    return this.#blocks;
  }

  async openProposals(): Promise<KeyValueStore> {
    return this.#proposals;
  }

  validator(name: string): ValidatorDisk {
    const disk = this.#validators.get(name) ?? new MemoryValidatorDisk();
    this.#validators.set(name, disk);
    return disk;
  }
}

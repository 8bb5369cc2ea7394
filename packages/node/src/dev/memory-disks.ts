/**
 * The disks of a development network's node in memory. A copy shares the databases with its original until one of them
 * writes. What is written counts as durable at once, so a copy of any moment is what a crash at that moment would leave,
 * and a node starts from it as it would after a crash.
 */
import type { KeyLock, SignStateStorage } from 'svc-consensus/machine';
import type { HeartbeatRecord, HeartbeatStore, LogFile } from 'svc-consensus/shell';
import { type Entry, type KeyValueStore, MemoryStore, openStoreOn } from 'svc-storage';
import { type ChainDisk, MemorySets } from '../chain/chain-disk.ts';
import type { NodeDisks } from '../compose/node-disks.ts';
import type { PoolDisk } from '../mempool/pool-store.ts';
import type { ValidatorDisk } from '../validator/validator-disk.ts';

/** What disks hold, as plain values. */
export interface DiskParts {
  readonly stores: ReadonlyMap<string, readonly Entry[]>;
  /** Encoded validator sets, by epoch. */
  readonly sets: ReadonlyMap<number, Uint8Array>;
  readonly validators: ReadonlyMap<string, ValidatorParts>;
}

interface ValidatorParts {
  readonly logs: ReadonlyMap<string, Uint8Array>;
  readonly signed: Uint8Array | undefined;
  readonly heartbeat: HeartbeatRecord | undefined;
}

const ROOM_BYTES_MIN = 1 << 12;
const STORES = ['chain', 'mempool', 'blocks', 'proposals'] as const;

/**
 * A file whose bytes are mostly never made: the log of a height is emptied when the next one begins, and is read for a
 * snapshot or a dump alone.
 */
class MemoryLog implements LogFile {
  readonly isInMemory = true;
  /** Has room for more than the file's length. */
  #room: Uint8Array;
  #length: number;
  /** What makes the bytes that follow. */
  #later: (() => Uint8Array)[] = [];

  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.#room = bytes;
    this.#length = bytes.length;
  }

  read(): Uint8Array {
    this.#makeAll();
    return this.#room.slice(0, this.#length);
  }

  append(more: Uint8Array): void {
    this.#makeAll();
    this.#put(more);
  }

  appendLater(make: () => Uint8Array): void {
    this.#later.push(make);
  }

  sync(): void {}

  reset(): void {
    this.#later = [];
    this.#length = 0;
  }

  truncate(length: number): void {
    this.#makeAll();
    this.#length = length;
  }

  close(): void {}

  #makeAll(): void {
    const later = this.#later;
    this.#later = [];
    for (const make of later) this.#put(make());
  }

  #put(more: Uint8Array): void {
    const length = this.#length + more.length;
    if (length > this.#room.length) {
      const larger = new Uint8Array(Math.max(ROOM_BYTES_MIN, 2 * length));
      larger.set(this.#room.subarray(0, this.#length));
      this.#room = larger;
    }
    this.#room.set(more, this.#length);
    this.#length = length;
  }
}

/** The record of what a key signed, encoded when it is read. */
class MemorySignState implements SignStateStorage {
  #make: () => Uint8Array | undefined;
  #next: Uint8Array | undefined;

  constructor(record?: Uint8Array) {
    this.#make = () => record;
  }

  read(): Uint8Array | undefined {
    const record = this.#make();
    this.#make = () => record;
    return record;
  }

  replaceLater(make: () => Uint8Array): void {
    this.#make = make;
  }

  writeTemporary(bytes: Uint8Array): void {
    this.#next = bytes.slice();
  }

  syncTemporary(): void {}

  renameTemporary(): void {
    const record = this.#next;
    this.#make = () => record;
  }

  syncDirectory(): void {}
}

class MemoryValidatorDisk implements ValidatorDisk {
  readonly place = 'memory';
  /** Networks that were loaded from one dump run beside each other, each with its own record of the same public keys. */
  readonly lock: KeyLock = { acquire: () => true, release: () => {} };
  readonly #logs: Map<string, MemoryLog>;
  readonly signState: MemorySignState;
  #heartbeat: HeartbeatRecord | undefined;

  constructor({ logs = new Map(), signed, heartbeat }: Partial<ValidatorParts> = {}) {
    this.#logs = new Map([...logs].map(([name, bytes]) => [name, new MemoryLog(bytes)]));
    this.signState = new MemorySignState(signed);
    this.#heartbeat = heartbeat;
  }

  parts(): ValidatorParts {
    const logs = new Map([...this.#logs].map(([name, log]) => [name, log.read()]));
    return { logs, signed: this.signState.read(), heartbeat: this.#heartbeat };
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
  readonly #stores = {} as Record<(typeof STORES)[number], MemoryStore>;
  readonly #sets: MemorySets;
  readonly #validators: Map<string, MemoryValidatorDisk>;

  /** Empty, or with what `parts` gave. */
  constructor(parts?: DiskParts) {
    for (const name of STORES) {
      this.#stores[name] = new MemoryStore();
      this.#stores[name].fill(parts?.stores.get(name) ?? []);
    }
    this.#sets = new MemorySets(parts?.sets);
    this.#validators = new Map(
      [...(parts?.validators ?? [])].map(([name, own]) => [name, new MemoryValidatorDisk(own)]),
    );
  }

  /** Everything that the disks hold now. */
  parts(): DiskParts {
    const stores = new Map(STORES.map((name) => [name, this.#stores[name].entries()]));
    return { ...this.#smallParts(), stores };
  }

  /** What is copied for every snapshot. */
  #smallParts(): Omit<DiskParts, 'stores'> {
    return {
      sets: new Map(this.#sets.entries()),
      validators: new Map([...this.#validators].map(([name, disk]) => [name, disk.parts()])),
    };
  }

  copy(): MemoryDisks {
    const copy = new MemoryDisks({ ...this.#smallParts(), stores: new Map() });
    for (const name of STORES) copy.#stores[name] = this.#stores[name].copy();
    return copy;
  }

  get chain(): ChainDisk {
    return { sets: this.#sets, openStore: (options) => openStoreOn(this.#stores.chain, options) };
  }

  async openMempool(): Promise<PoolDisk> {
    return this.#stores.mempool;
  }

  async openBlocks(): Promise<KeyValueStore> {
    return this.#stores.blocks;
  }

  async openProposals(): Promise<KeyValueStore> {
    return this.#stores.proposals;
  }

  validator(name: string): ValidatorDisk {
    const disk = this.#validators.get(name) ?? new MemoryValidatorDisk();
    this.#validators.set(name, disk);
    return disk;
  }
}

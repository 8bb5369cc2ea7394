/**
 * The disks of a development network's node in memory. A copy shares the databases with its original until one of them
 * writes. What is written counts as durable at once, so a copy of any moment is what a crash at that moment would leave,
 * and a node starts from it as it would after a crash.
 */
import type { KeyLock, SignStateStorage } from 'svc-consensus/machine';
import type { HeartbeatRecord, HeartbeatStore, LogFile } from 'svc-consensus/shell';
import { type Entry, type KeyValueStore, MemoryStore, openStoreOn } from 'svc-storage';
import { fromHex, toHex } from 'svc-wasm/base';
import { type ChainDisk, MemorySets } from '../chain/chain-disk.ts';
import type { NodeDisks } from '../compose/node-disks.ts';
import type { PoolDisk } from '../mempool/pool-store.ts';
import type { ValidatorDisk } from '../validator/validator-disk.ts';

/** What disks hold, by the name of the part; the entries of a part have different keys. */
export type DiskParts = ReadonlyMap<string, readonly Entry[]>;

const ROOM_BYTES_MIN = 1 << 12;
/** What the names of parts begin with that are of one validator, and of keys that are of one log. */
const VALIDATOR = 'validator/';
const LOG = 'log/';
const SIGNED = 'signed';
const HEARTBEAT = 'heartbeat';

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

  copy(): MemoryLog {
    return new MemoryLog(this.read());
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
  readonly #logs = new Map<string, MemoryLog>();
  signState = new MemorySignState();
  #heartbeat: HeartbeatRecord | undefined;

  copy(): MemoryValidatorDisk {
    const copy = new MemoryValidatorDisk();
    for (const [name, log] of this.#logs) copy.#logs.set(name, log.copy());
    copy.signState = new MemorySignState(this.signState.read());
    copy.#heartbeat = this.#heartbeat;
    return copy;
  }

  entries(): Entry[] {
    const entries: Entry[] = [...this.#logs].map(([name, log]) => [keyOf(LOG + name), log.read()]);
    const signed = this.signState.read();
    if (signed !== undefined) entries.push([keyOf(SIGNED), signed]);
    if (this.#heartbeat === undefined) return entries;
    const { wire, ...rest } = this.#heartbeat;
    const text = JSON.stringify({ ...rest, wire: toHex(wire) });
    return [...entries, [keyOf(HEARTBEAT), keyOf(text)]];
  }

  /** Puts entries onto a disk that is not in use yet. */
  fill(entries: Iterable<Entry>): this {
    for (const [key, value] of entries) {
      const name = textOf(key);
      if (name === SIGNED) this.signState = new MemorySignState(value);
      else if (name === HEARTBEAT) this.#heartbeat = heartbeatOf(value);
      else this.#logs.set(name.slice(LOG.length), new MemoryLog(value));
    }
    return this;
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

const keyOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

function heartbeatOf(value: Uint8Array): HeartbeatRecord {
  const { epoch, transactionId, wire } = JSON.parse(textOf(value)) as {
    readonly epoch: number;
    readonly transactionId: string;
    readonly wire: string;
  };
  return { epoch, transactionId, wire: fromHex(wire) };
}

export class MemoryDisks implements NodeDisks {
  readonly scrubbed = [];
  #sets = new MemorySets();
  #store = new MemoryStore();
  #mempool = new MemoryStore();
  #blocks = new MemoryStore();
  #proposals = new MemoryStore();
  readonly #validators = new Map<string, MemoryValidatorDisk>();

  /** Disks with what `parts` gave. */
  static from(parts: DiskParts): MemoryDisks {
    const disks = new MemoryDisks();
    for (const [name, store] of disks.#stores()) store.fill(parts.get(name) ?? []);
    const sets = (parts.get('sets') ?? []).map(
      ([epoch, encoded]) => [Number(textOf(epoch)), encoded] as const,
    );
    disks.#sets = new MemorySets(sets);
    for (const [name, entries] of parts) {
      if (!name.startsWith(VALIDATOR)) continue;
      const disk = new MemoryValidatorDisk().fill(entries);
      disks.#validators.set(name.slice(VALIDATOR.length), disk);
    }
    return disks;
  }

  /** Everything that the disks hold now. */
  parts(): DiskParts {
    const parts = new Map<string, Entry[]>();
    for (const [name, store] of this.#stores()) parts.set(name, store.entries());
    const sets = [...this.#sets.entries()];
    parts.set(
      'sets',
      sets.map(([epoch, encoded]) => [keyOf(String(epoch)), encoded]),
    );
    for (const [name, disk] of this.#validators) parts.set(VALIDATOR + name, disk.entries());
    return parts;
  }

  #stores(): [name: string, store: MemoryStore][] {
    return [
      ['chain', this.#store],
      ['mempool', this.#mempool],
      ['blocks', this.#blocks],
      ['proposals', this.#proposals],
    ];
  }

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

/**
 * The disk of a full node: files of bytes that keep what was synced and lose an arbitrary part of what was not, the
 * store, and the validator sets of the chain. What the store has committed is never lost.
 */
import type { ChainDisk, SetFiles } from 'svc-node/chain';
import { MemoryStore, openStoreOn } from 'svc-storage';
import type { LogFile } from 'svc-validator';
import type { Random } from '../base/random.ts';
import { SignStateFile } from '../world/disk.ts';

class ByteFile implements LogFile {
  #bytes = new Uint8Array(0);
  #synced = 0;

  read(): Uint8Array {
    return this.#bytes.slice();
  }

  append(more: Uint8Array): void {
    const joined = new Uint8Array(this.#bytes.length + more.length);
    joined.set(this.#bytes);
    joined.set(more, this.#bytes.length);
    this.#bytes = joined;
  }

  sync(): void {
    this.#synced = this.#bytes.length;
  }

  reset(): void {
    this.truncate(0);
  }

  truncate(length: number): void {
    this.#bytes = this.#bytes.slice(0, length);
    this.#synced = length;
  }

  close(): void {}

  crash(random: Random): void {
    this.truncate(random.integer(this.#synced, this.#bytes.length));
  }
}

class MemorySets implements SetFiles {
  readonly #sets = new Map<number, Uint8Array>();

  nameOf(epoch: number): string {
    return `the set of epoch ${epoch}`;
  }

  read(epoch: number): Uint8Array | undefined {
    return this.#sets.get(epoch);
  }

  write(epoch: number, encoded: Uint8Array): void {
    this.#sets.set(epoch, encoded);
  }

  forgetBefore(epoch: number): void {
    for (const known of this.#sets.keys()) if (known < epoch) this.#sets.delete(known);
  }
}

export class ByteDisk {
  readonly log = new ByteFile();
  readonly cuts = new ByteFile();
  readonly signState = new SignStateFile();
  /** Blocks that the pool has accepted: a pool keeps them durably. */
  readonly blocks: { readonly header: Uint8Array; readonly body: Uint8Array }[] = [];
  readonly #store = new MemoryStore();
  readonly chain: ChainDisk = {
    sets: new MemorySets(),
    openStore: (options) => openStoreOn(this.#store, options),
  };

  crash(random: Random): void {
    this.log.crash(random);
    this.cuts.crash(random);
    this.signState.crash(random);
  }
}

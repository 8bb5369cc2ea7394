/**
 * Ports of the signer and the log that never fail.
 */
import type { LogStorage } from 'svc-base/pure';
import type { KeyLock, SignStateStorage } from '../../../src/machine/index.ts';

export class MemorySignState implements SignStateStorage {
  record: Uint8Array | undefined;
  #temporary: Uint8Array | undefined;

  read(): Uint8Array | undefined {
    return this.record;
  }

  writeTemporary(bytes: Uint8Array): void {
    this.#temporary = bytes;
  }

  syncTemporary(): void {}

  renameTemporary(): void {
    this.record = this.#temporary;
  }

  syncDirectory(): void {}
}

export class MemoryLog implements LogStorage {
  bytes = new Uint8Array(0);

  append(bytes: Uint8Array): void {
    const grown = new Uint8Array(this.bytes.length + bytes.length);
    grown.set(this.bytes);
    grown.set(bytes, this.bytes.length);
    this.bytes = grown;
  }

  sync(): void {}

  reset(): void {
    this.bytes = new Uint8Array(0);
  }

  truncate(length: number): void {
    this.bytes = this.bytes.slice(0, length);
  }
}

export const FREE_LOCK: KeyLock = { acquire: () => true, release: () => {} };

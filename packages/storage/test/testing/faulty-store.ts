/** A database whose writes fail from some write on, as on a full disk. */

import type { WriteOperation } from '../../src/key-value/key-value-store.ts';
import { MemoryStore } from '../../src/key-value/memory-store.ts';

export class FaultyStore extends MemoryStore {
  writesLeft = Number.POSITIVE_INFINITY;

  override async write(operations: readonly WriteOperation[]): Promise<void> {
    if (this.writesLeft-- <= 0) throw new Error('ENOSPC: no space left on device');
    await super.write(operations);
  }
}

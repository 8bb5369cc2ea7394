/**
 * The records of a validator's height on a simulated disk, as typed inputs and cuts.
 */
import type { EncodedCut, FoundLog, Input, LoggedInput } from 'svc-consensus/machine';
import type { HeightRecords } from 'svc-consensus/shell';
import type { Cut } from '../world/cut.ts';
import type { Disk } from '../world/disk.ts';

/** How the log is written and made durable. */
export interface RecordWrites {
  append(input: Input): void;
  sync(): void;
}

export class DiskRecords implements HeightRecords {
  readonly foundLog: FoundLog;
  readonly foundCuts: readonly EncodedCut[];
  readonly #disk: Disk;
  readonly #writes: RecordWrites;

  constructor(disk: Disk, writes: RecordWrites) {
    this.#disk = disk;
    this.#writes = writes;
    const inputs = [...disk.log] as LoggedInput[];
    this.foundLog = { type: 'read', inputs, intactBytes: inputs.length };
    this.foundCuts = [...disk.cuts.values()];
  }

  resume(_intactBytes: number, intactRecords: number): void {
    this.#disk.truncateLog(intactRecords);
  }

  append(input: Input): void {
    this.#writes.append(input);
  }

  storeCut(cut: EncodedCut): void {
    this.#disk.storeCut(cut as Cut);
  }

  sync(): void {
    this.#writes.sync();
  }

  reset(): void {
    this.#disk.resetLog();
  }

  close(): void {}
}

/**
 * The records of a validator's height on a simulated disk, as typed inputs and cuts.
 */
import type { EncodedCut, FoundLog, Input, LoggedInput } from 'svc-finality';
import type { HeightRecords } from 'svc-validator';
import type { Cut } from '../world/cut.ts';
import type { Disk } from '../world/disk.ts';

export class DiskRecords implements HeightRecords {
  readonly foundLog: FoundLog;
  readonly foundCuts: readonly EncodedCut[];
  readonly #disk: Disk;
  readonly #syncDisk: () => void;

  constructor(disk: Disk, syncDisk: () => void) {
    this.#disk = disk;
    this.#syncDisk = syncDisk;
    const inputs = [...disk.log] as LoggedInput[];
    this.foundLog = { type: 'read', inputs, intactBytes: inputs.length };
    this.foundCuts = [...disk.cuts.values()];
  }

  resume(_intactBytes: number, intactRecords: number): void {
    this.#disk.truncateLog(intactRecords);
  }

  append(input: Input): void {
    this.#disk.append(input);
  }

  storeCut(cut: EncodedCut): void {
    this.#disk.storeCut(cut as Cut);
  }

  sync(): void {
    this.#syncDisk();
  }

  reset(): void {
    this.#disk.resetLog();
  }

  close(): void {}
}

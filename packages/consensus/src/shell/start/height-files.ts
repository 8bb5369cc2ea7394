/**
 * The records of the height in progress as two files of bytes: the log of inputs, and the cuts that were found
 * valid. One sync makes both durable. Cuts of earlier heights stay in a file on the disk until it has grown: emptying it
 * each time would cost a sync at every height.
 */
import { LogWriter, readLog } from 'svc-base/pure';
import {
  decodeCut,
  type EncodedCut,
  encodeInput,
  type FoundLog,
  type Input,
  readInputs,
  type WireContext,
} from 'svc-consensus/machine';
import { concatBytes, SvcError } from 'svc-wasm/base';
import { CUT_HEADER_BYTES } from 'svc-wasm/protocol';
import type { HeightRecords, LogFile } from '../ports/files.ts';

export interface HeightFilesPorts {
  readonly wire: WireContext;
  readonly log: LogFile;
  readonly cuts: LogFile;
}

const CUT_BYTES_KEPT = 1 << 20;

export class HeightFiles implements HeightRecords {
  readonly foundLog: FoundLog;
  /** Cuts after a damaged one are lost, and are fetched again. */
  readonly foundCuts: readonly EncodedCut[];
  readonly #ports: HeightFilesPorts;
  readonly #cutWriter: LogWriter;
  readonly #stored = new Set<string>();
  #logWriter: LogWriter;
  #cutBytes: number;
  #isClosed = false;

  constructor(ports: HeightFilesPorts) {
    const { wire, log, cuts } = ports;
    this.#ports = ports;
    this.foundLog = readInputs(wire, log.read());
    this.#logWriter = new LogWriter(log);
    const found = readCuts(cuts.read());
    cuts.truncate(found.intactBytes);
    this.#cutWriter = new LogWriter(cuts, found.cuts.length);
    this.foundCuts = found.cuts;
    this.#cutBytes = found.intactBytes;
    for (const { value } of found.cuts) this.#stored.add(value);
  }

  resume(intactBytes: number, intactRecords: number): void {
    const { log } = this.#ports;
    log.truncate(intactBytes);
    this.#logWriter = new LogWriter(log, intactRecords);
  }

  append(input: Input): void {
    this.#logWriter.appendMade(() => encodeInput(this.#ports.wire, input));
  }

  storeCut({ value, header, body }: EncodedCut): void {
    if (this.#stored.has(value)) return;
    this.#cutWriter.appendMade(() => concatBytes(header, body));
    this.#cutBytes += header.length + body.length;
    this.#stored.add(value);
  }

  /** Cuts first: the log must not name a cut as valid that is not stored. */
  sync(): void {
    this.#cutWriter.sync();
    this.#logWriter.sync();
  }

  reset(): void {
    this.#logWriter.reset();
    const { isInMemory = false } = this.#ports.cuts;
    if (!isInMemory && this.#cutBytes < CUT_BYTES_KEPT) return;
    this.#cutWriter.reset();
    this.#cutBytes = 0;
    this.#stored.clear();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#ports.log.close();
    this.#ports.cuts.close();
  }
}

function readCuts(bytes: Uint8Array): { cuts: EncodedCut[]; intactBytes: number } {
  const reading = readLog(bytes);
  if (reading.type === 'refused') return { cuts: [], intactBytes: 0 };
  try {
    const cuts = reading.records.map(({ payload }) =>
      decodeCut(payload.slice(0, CUT_HEADER_BYTES), payload.slice(CUT_HEADER_BYTES)),
    );
    return { cuts, intactBytes: reading.intactBytes };
  } catch (error) {
    if (error instanceof SvcError) return { cuts: [], intactBytes: 0 };
    throw error;
  }
}

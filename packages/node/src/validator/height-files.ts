/**
 * What a validator keeps on disk for the height in progress: the log of inputs, and the cuts it has found
 * valid. One sync makes both durable. An error of any call is fatal. Cuts of earlier heights stay in their
 * file until it has grown: emptying it each time would cost a sync at every height.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { decodeCut, type EncodedCut, LogWriter, readLog } from 'svc-finality';
import { concatBytes, SvcError } from 'svc-wasm/base';
import { CUT_HEADER_BYTES } from 'svc-wasm/protocol';
import { FileLog } from './file-log.ts';

const CUT_BYTES_KEPT = 1 << 20;

export class HeightFiles {
  readonly directory: string;
  /** The log as it was found. */
  readonly found: Uint8Array;
  /** Cuts that were found, of this height and earlier ones; those after a damaged one are got again. */
  readonly foundCuts: readonly EncodedCut[];
  readonly #log: FileLog;
  readonly #cuts: FileLog;
  #logWriter: LogWriter;
  readonly #cutWriter: LogWriter;
  readonly #stored = new Set<string>();
  #cutBytes: number;
  #isClosed = false;

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.directory = directory;
    this.#log = new FileLog(join(directory, 'log'));
    this.#cuts = new FileLog(join(directory, 'cuts'));
    this.found = this.#log.read();
    this.#logWriter = new LogWriter(this.#log);
    const { cuts, intactBytes } = readCuts(this.#cuts.read());
    this.#cuts.truncate(intactBytes);
    this.#cutWriter = new LogWriter(this.#cuts, cuts.length);
    this.foundCuts = cuts;
    this.#cutBytes = intactBytes;
    for (const { value } of cuts) this.#stored.add(value);
  }

  /** Goes on behind what was found intact; the rest is cut off. */
  resume(intactBytes: number, intactRecords: number): void {
    this.#log.truncate(intactBytes);
    this.#logWriter = new LogWriter(this.#log, intactRecords);
  }

  append(payload: Uint8Array): void {
    this.#logWriter.append(payload);
  }

  storeCut({ value, header, body }: EncodedCut): void {
    if (this.#stored.has(value)) return;
    this.#cutWriter.append(concatBytes(header, body));
    this.#cutBytes += header.length + body.length;
    this.#stored.add(value);
  }

  /** Cuts first: the log must not say that a cut is valid which is not there. */
  sync(): void {
    this.#cutWriter.sync();
    this.#logWriter.sync();
  }

  reset(): void {
    this.#logWriter.reset();
    if (this.#cutBytes < CUT_BYTES_KEPT) return;
    this.#cutWriter.reset();
    this.#cutBytes = 0;
    this.#stored.clear();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#log.close();
    this.#cuts.close();
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

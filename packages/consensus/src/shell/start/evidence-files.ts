/**
 * Messages of the last heights and convicting pairs, as bytes. Messages are in two files that take turns, so that the
 * newest are always on disk while the oldest are dropped; pairs stay until all offenders are punished.
 */
import { LogWriter, readLog } from 'svc-base/pure';
import {
  type Conflict,
  decodeEvidence,
  decodeMessage,
  encodeEvidence,
  encodeMessage,
  type SignedMessage,
  type WireContext,
} from 'svc-consensus/machine';
import { SvcError } from 'svc-wasm/base';
import type { EvidenceRecords, LogFile } from '../ports/files.ts';

export interface EvidenceFilesPorts {
  readonly wire: WireContext;
  readonly votes: readonly [LogFile, LogFile];
  readonly conflicts: LogFile;
}

/** More than the messages of all heights that are remembered have. */
const VOTE_BYTES_MAX = 32 << 20;

interface Volume {
  readonly file: LogFile;
  readonly writer: LogWriter;
  bytes: number;
}

export class EvidenceFiles implements EvidenceRecords {
  readonly foundMessages: readonly SignedMessage[];
  readonly foundConflicts: readonly Conflict[];
  readonly #wire: WireContext;
  readonly #conflicts: Volume;
  #volume: Volume;
  #other: Volume;
  #isClosed = false;

  constructor({ wire, votes, conflicts }: EvidenceFilesPorts) {
    this.#wire = wire;
    const first = openVolume(votes[0]);
    const second = openVolume(votes[1]);
    const pairs = openVolume(conflicts);
    this.foundMessages = [...first.payloads, ...second.payloads].flatMap((payload) =>
      readKnown(() => decodeMessage(wire, payload)).filter(isSigned),
    );
    this.foundConflicts = pairs.payloads.flatMap((payload) =>
      readKnown(() => decodeEvidence(wire, payload)),
    );
    this.#conflicts = pairs;
    const isFirstFull = first.bytes > VOTE_BYTES_MAX;
    this.#volume = isFirstFull ? second : first;
    this.#other = isFirstFull ? first : second;
  }

  appendMessages(messages: readonly SignedMessage[]): void {
    for (const message of messages) append(this.#volume, encodeMessage(this.#wire, message));
    if (this.#volume.bytes <= VOTE_BYTES_MAX) return;
    this.#volume.writer.sync();
    this.#other.writer.reset();
    this.#other.bytes = 0;
    [this.#volume, this.#other] = [this.#other, this.#volume];
  }

  appendConflict(conflict: Conflict): void {
    append(this.#conflicts, encodeEvidence(this.#wire, conflict));
  }

  sync(): void {
    this.#volume.writer.sync();
    this.#conflicts.writer.sync();
  }

  resetConflicts(): void {
    if (this.#conflicts.bytes === 0) return;
    this.#conflicts.writer.reset();
    this.#conflicts.bytes = 0;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { file } of [this.#volume, this.#other, this.#conflicts]) file.close();
  }
}

function append(volume: Volume, payload: Uint8Array): void {
  volume.writer.append(payload);
  volume.bytes += payload.length;
}

/** What a crash or a bad disk has damaged, and what follows it, is dropped: nothing that is signed depends on it. */
function openVolume(file: LogFile): Volume & { readonly payloads: readonly Uint8Array[] } {
  const reading = readLog(file.read());
  const isRead = reading.type === 'read';
  const payloads = isRead ? reading.records.map(({ payload }) => payload) : [];
  const bytes = isRead ? reading.intactBytes : 0;
  file.truncate(bytes);
  return { file, writer: new LogWriter(file, payloads.length), bytes, payloads };
}

/** Messages of sets that are not known any more prove nothing. */
function readKnown<T>(read: () => T): T[] {
  try {
    return [read()];
  } catch (error) {
    if (error instanceof SvcError) return [];
    throw error;
  }
}

function isSigned(message: ReturnType<typeof decodeMessage>): message is SignedMessage {
  return message.kind === 'prevote' || message.kind === 'precommit' || message.kind === 'proposal';
}

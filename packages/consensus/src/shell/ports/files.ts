/**
 * What a validator keeps on disk. Calls are synchronous and in the order that durability asks for; an error of any
 * of them is fatal and never tried again.
 */
import type { LogStorage } from 'svc-base/pure';
import type {
  Conflict,
  EncodedCut,
  FoundLog,
  Input,
  KeyLock,
  SignedMessage,
  SignStateStorage,
} from 'svc-consensus/machine';

/** A file that is appended to, as the log and the cuts of a height are. */
export interface LogFile extends LogStorage {
  /** Whether emptying it costs nothing, as in memory: then it is emptied at every height. */
  readonly isInMemory?: boolean;
  /** Everything in the file; read before the first append. */
  read(): Uint8Array;
  close(): void;
}

/** The log of inputs and the cuts of the height in progress. */
export interface HeightRecords {
  /** The log as it was found at the start. */
  readonly foundLog: FoundLog;
  /** Cuts that were found at the start, of this height and earlier ones. */
  readonly foundCuts: readonly EncodedCut[];
  /** Continues the found log after so many intact bytes and records; the rest is cut off durably. */
  resume(intactBytes: number, intactRecords: number): void;
  append(input: Input): void;
  storeCut(cut: EncodedCut): void;
  /** Makes everything appended and stored durable, cuts before inputs. */
  sync(): void;
  /** Begins the log of a new height. */
  reset(): void;
  close(): void;
}

/** Evidence against others: signed messages of the last heights, and contradicting pairs. */
export interface EvidenceRecords {
  readonly foundMessages: readonly SignedMessage[];
  readonly foundConflicts: readonly Conflict[];
  appendMessages(messages: readonly SignedMessage[]): void;
  appendConflict(conflict: Conflict): void;
  /** Makes everything appended durable. */
  sync(): void;
  /** Forgets all pairs: every offender has been punished. */
  resetConflicts(): void;
  close(): void;
}

export interface ValidatorFiles {
  /** Names the place of the files to an operator. */
  readonly place: string;
  readonly lock: KeyLock;
  readonly signState: SignStateStorage;
  readonly records: HeightRecords;
  readonly evidence: EvidenceRecords;
}

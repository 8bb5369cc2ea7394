/**
 * A disk that keeps what was synced and, at a crash, an arbitrary part of what was not: a prefix of
 * the log, any of the cuts, the old or the new sign state. Unsynced files may come back torn.
 */
import type {
  CommitCertificate,
  Conflict,
  CutId,
  EncodedCut,
  FoundLog,
  Input,
  LoggedInput,
  SignedMessage,
  SignStateStorage,
} from 'svc-consensus/machine';
import type { EvidenceRecords, HeightRecords } from 'svc-consensus/shell';
import { DiskFullError } from '../base/failure.ts';
import type { Random } from '../base/random.ts';
import type { Cut } from './cut.ts';

export interface Decision {
  readonly cut: Cut;
  readonly certificate: CommitCertificate;
}

/** What a backup of a validator's disk has. */
export interface DiskCopy {
  readonly log: readonly Input[];
  readonly cuts: ReadonlyMap<CutId, Cut>;
  readonly chain: readonly Decision[];
  readonly signState: Uint8Array | undefined;
  readonly evidence: readonly SignedMessage[];
}

export class Disk {
  log: Input[] = [];
  #logSynced = 0;
  readonly cuts = new Map<CutId, Cut>();
  readonly #cutsUnsynced = new Set<CutId>();
  /** Decided cuts with their certificates, committed one by one. */
  readonly chain: Decision[] = [];
  signState: SignStateFile = new SignStateFile();
  readonly evidence: EvidenceFile = new EvidenceFile(() => this.expectRoom());
  isFull = false;
  /** Writes of the running process that the disk has refused. */
  refusedWrites = 0;

  expectRoom(): void {
    if (!this.isFull) return;
    this.refusedWrites += 1;
    throw new DiskFullError('no room on the disk');
  }

  /** Makes a decided cut part of the chain. */
  commit(decision: Decision): void {
    this.expectRoom();
    this.chain.push(decision);
  }

  get isLogSynced(): boolean {
    return this.#logSynced === this.log.length;
  }

  /** A key of which nothing was signed: it has a record and a log of its own. */
  beginKey(): void {
    this.signState = new SignStateFile();
    this.resetLog();
  }

  resetLog(): void {
    this.log = [];
    this.#logSynced = 0;
  }

  truncateLog(records: number): void {
    this.log.length = records;
    this.#logSynced = records;
  }

  append(input: Input): void {
    this.expectRoom();
    this.log.push(input);
  }

  storeCut(cut: Cut): void {
    if (this.cuts.has(cut.id)) return;
    this.expectRoom();
    this.cuts.set(cut.id, cut);
    this.#cutsUnsynced.add(cut.id);
  }

  sync(): void {
    this.#logSynced = this.log.length;
    this.#cutsUnsynced.clear();
  }

  /** A copy of everything as a backup program reads it. */
  copy(): DiskCopy {
    const { log, cuts, chain, signState, evidence } = this;
    return {
      log: [...log],
      cuts: new Map(cuts),
      chain: [...chain],
      signState: signState.read(),
      evidence: evidence.foundMessages,
    };
  }

  /** Puts a copy back in place of everything. */
  restore({ log, cuts, chain, signState, evidence }: DiskCopy): void {
    this.log = [...log];
    this.#logSynced = log.length;
    this.cuts.clear();
    for (const [id, cut] of cuts) this.cuts.set(id, cut);
    this.#cutsUnsynced.clear();
    this.chain.length = 0;
    this.chain.push(...chain);
    this.signState.restore(signState);
    this.evidence.restore(evidence);
  }

  crash(random: Random): void {
    this.refusedWrites = 0;
    const kept = random.integer(this.#logSynced, this.log.length);
    this.log.length = kept;
    this.#logSynced = kept;
    for (const id of this.#cutsUnsynced) if (random.chance(0.5)) this.cuts.delete(id);
    this.#cutsUnsynced.clear();
    this.signState.crash(random);
    this.evidence.crash();
  }
}

/** Messages and pairs that convict others: a crash leaves what was synced. */
class EvidenceFile implements EvidenceRecords {
  #messages: SignedMessage[] = [];
  #conflicts: Conflict[] = [];
  #synced = { messages: 0, conflicts: 0 };
  readonly #expectRoom: () => void;

  constructor(expectRoom: () => void) {
    this.#expectRoom = expectRoom;
  }

  get foundMessages(): readonly SignedMessage[] {
    return [...this.#messages];
  }

  get foundConflicts(): readonly Conflict[] {
    return [...this.#conflicts];
  }

  appendMessages(messages: readonly SignedMessage[]): void {
    if (messages.length > 0) this.#expectRoom();
    this.#messages.push(...messages);
  }

  appendConflict(conflict: Conflict): void {
    this.#expectRoom();
    this.#conflicts.push(conflict);
  }

  sync(): void {
    this.#synced = { messages: this.#messages.length, conflicts: this.#conflicts.length };
  }

  resetConflicts(): void {
    this.#conflicts = [];
    this.#synced = { ...this.#synced, conflicts: 0 };
  }

  close(): void {}

  crash(): void {
    this.#messages.length = this.#synced.messages;
    this.#conflicts.length = this.#synced.conflicts;
  }

  restore(messages: readonly SignedMessage[]): void {
    this.#messages = [...messages];
    this.#conflicts = [];
    this.sync();
  }
}

/** The four steps of an atomic replacement, and every state a crash between them can leave. */
export class SignStateFile implements SignStateStorage {
  #durable: Uint8Array | undefined;
  #temporary: Uint8Array | undefined;
  #temporarySynced = false;
  #current: Uint8Array | undefined;
  #currentSynced = true;
  /** Called before every step; throws to crash there. */
  onStep: () => void = () => {};

  /** What a crash cannot take. */
  get durable(): Uint8Array | undefined {
    return this.#durable;
  }

  read(): Uint8Array | undefined {
    return this.#current;
  }

  writeTemporary(bytes: Uint8Array): void {
    this.onStep();
    this.#temporary = bytes;
    this.#temporarySynced = false;
  }

  syncTemporary(): void {
    this.onStep();
    this.#temporarySynced = true;
  }

  renameTemporary(): void {
    this.onStep();
    this.#current = this.#temporary;
    this.#currentSynced = this.#temporarySynced;
    this.#temporary = undefined;
  }

  syncDirectory(): void {
    this.onStep();
    if (this.#currentSynced) this.#durable = this.#current;
  }

  restore(bytes: Uint8Array | undefined): void {
    this.#current = bytes;
    this.#durable = bytes;
    this.#currentSynced = true;
    this.#temporary = undefined;
  }

  crash(random: Random): void {
    if (this.#current !== this.#durable && random.chance(0.5)) this.#current = this.#durable;
    if (this.#current !== this.#durable && !this.#currentSynced && this.#current !== undefined)
      this.#current = this.#current.slice(0, random.integer(0, this.#current.length - 1));
    this.#durable = this.#current;
    this.#currentSynced = true;
    this.#temporary = undefined;
  }
}

/** How the log is written and made durable. */
interface RecordWrites {
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

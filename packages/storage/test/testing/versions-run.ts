/**
 * Random commits to a database with readers of all ages, against a model: whatever a read shows must have been
 * true at its moment. Values name their key and the commit that wrote them. Commits are written as a node writes them that
 * follows the chain, one by one, and as one does that catches up, in groups that wait in memory.
 */
import type { Entry, KeyValueStore } from '../../src/key-value/key-value-store.ts';
import { LAYOUT } from '../../src/layout.ts';

export interface VersionsPlan {
  readonly commits: number;
  readonly operations: number;
  readonly keys: number;
  readonly valueBytes: number;
  /** Every so many commits each key is looked up. */
  readonly checkEvery: number;
}

export interface VersionsStores {
  /** Takes commits, which may wait, and includes pending ones in its answers. */
  readonly store: KeyValueStore;
  /** Its written part, which scans read: the port promises them nothing about pending records. */
  readonly written: KeyValueStore;
}

export interface VersionsReport {
  commits: number;
  reads: number;
  readonly wrong: string[];
}

const ABSENT = -1;
const SCANS = 4;
/** Each scan takes its next piece once in so many commits, so a scan lives for many of them. */
const COMMITS_PER_PIECE = 12;
/** Every so many commits a part of the keys is compacted beside the reads and the next commits. */
const COMMITS_PER_COMPACTION = 3;
const COMPACTED_SHARE = 8;
const READ_KEYS = 32;
/** The prefix of a table whose records get a checksum when they are written. */
const { prefix: PREFIX } = LAYOUT.statuses;
const INDEX_BYTES = 6;
/** So many commits are written one by one, then as many in groups. */
const COMMITS_PER_PHASE = 12;
const COMMITS_PER_GROUP = 3;
/** Versions of this many last commits are remembered. */
const MEMORY = COMMITS_PER_PIECE + COMMITS_PER_GROUP + 2;

/** What each key holds after a commit. */
type Model = Int32Array;

interface Scan {
  readonly pieces: AsyncIterator<readonly Entry[]>;
  /** The first key that the next piece may hold. */
  next: number;
  /** The last commit that was written before the next piece was read. */
  since: number;
}

/** Ends early at the first wrong read, or when `goesOn`, called after each commit, returns false. */
export async function versionsRun(
  stores: VersionsStores,
  plan: VersionsPlan,
  random: (below: number) => number,
  goesOn: (report: VersionsReport) => boolean = () => true,
): Promise<VersionsReport> {
  const run = new VersionsRun(stores, plan, random);
  for (let commit = 1; commit <= plan.commits && run.report.wrong.length === 0; commit++) {
    await run.commit(commit);
    if (!goesOn(run.report)) break;
  }
  await run.end();
  return run.report;
}

class VersionsRun {
  readonly report: VersionsReport = { commits: 0, reads: 0, wrong: [] };
  readonly #store: KeyValueStore;
  readonly #written: KeyValueStore;
  readonly #plan: VersionsPlan;
  readonly #random: (below: number) => number;
  readonly #models = new Map<number, Model>();
  readonly #scans: Scan[] = [];
  /** The last commit that does not wait. */
  #lastWritten = 0;
  #reading: Promise<void>[] = [];

  constructor(
    { store, written }: VersionsStores,
    plan: VersionsPlan,
    random: (below: number) => number,
  ) {
    this.#store = store;
    this.#written = written;
    this.#plan = plan;
    this.#random = random;
    this.#models.set(0, new Int32Array(plan.keys).fill(ABSENT));
    for (let at = 0; at < SCANS; at++) this.#scans.push(this.#newScan());
  }

  async commit(commit: number): Promise<void> {
    const model = Int32Array.from(this.#modelOf(commit - 1));
    const mayWait = waits(commit);
    const batch = this.#store.batch({ mayWait });
    for (let at = 0; at < this.#plan.operations; at++) {
      const index = this.#random(this.#plan.keys);
      const isDeleted = this.#random(3) === 0;
      if (isDeleted) batch.delete(keyOf(index));
      else batch.put(keyOf(index), this.#valueOf(index, commit));
      model[index] = isDeleted ? ABSENT : commit;
    }
    this.#models.set(commit, model);
    this.#models.delete(commit - MEMORY);
    this.#readSome(commit - 1, commit - 1);
    const writing = batch.write({ sync: false });
    this.#readSome(commit - 1, commit);
    await writing;
    if (!mayWait) this.#lastWritten = commit;
    const due = this.#scans[commit % COMMITS_PER_PIECE];
    if (due !== undefined) await this.#step(due, commit);
    if (commit % COMMITS_PER_COMPACTION === 0) this.#compactSome();
    if (commit % this.#plan.checkEvery === 0) this.#lookUpAll(commit);
    this.report.commits = commit;
    if (this.#reading.length > 64) await this.#finishReads();
  }

  async end(): Promise<void> {
    await this.#finishReads();
    for (const { pieces } of this.#scans) await pieces.return?.();
  }

  async #finishReads(): Promise<void> {
    const reading = this.#reading;
    this.#reading = [];
    await Promise.all(reading);
  }

  /** Starts reads and checks them whenever they end: a whole read shows either the one commit or the other. */
  #readSome(before: number, after: number): void {
    const models = [this.#modelOf(before), this.#modelOf(after)] as const;
    const indexes = Array.from({ length: READ_KEYS }, () => this.#random(this.#plan.keys));
    const found = this.#store.getMany(indexes.map(keyOf)).then((values) => {
      const fits = models.some((model) =>
        indexes.every((index, at) => versionOf(index, values[at]) === model[index]),
      );
      this.#expect(fits, `getMany begun after commit ${before}`);
    });
    const from = this.#random(this.#plan.keys);
    const range = { from: keyOf(from), to: keyOf(this.#plan.keys), limit: READ_KEYS };
    const listed = this.#store.range(range).then((entries) => {
      const fits = models.some((model) => isRange(entries, model, from));
      this.#expect(fits, `range begun after commit ${before}`);
    });
    this.#reading.push(found, listed);
  }

  #compactSome(): void {
    const from = this.#random(this.#plan.keys);
    const to = from + this.#plan.keys / COMPACTED_SHARE;
    this.#reading.push(this.#store.compact({ from: keyOf(from), to: keyOf(to) }));
  }

  #newScan(): Scan {
    const range = { from: keyOf(0), to: keyOf(this.#plan.keys) };
    const pieces = this.#written.scan(range)[Symbol.asyncIterator]();
    return { pieces, next: 0, since: this.#lastWritten };
  }

  /** Each entry of a piece was true at some time since the piece was asked for, and none is left out. */
  async #step(scan: Scan, commit: number): Promise<void> {
    const { value: entries, done } = await scan.pieces.next();
    const since = Math.max(scan.since, commit - MEMORY + 1);
    scan.since = this.#lastWritten;
    if (done === true) {
      Object.assign(scan, this.#newScan());
      return;
    }
    for (const [key, value] of entries) {
      const index = indexOf(key);
      for (; scan.next < index; scan.next++) this.#expectSince(scan.next, ABSENT, since, commit);
      this.#expectSince(index, versionOf(index, value), since, commit);
      scan.next = index + 1;
    }
  }

  #expectSince(index: number, version: number, since: number, commit: number): void {
    for (let at = since; at <= commit; at++) {
      if (this.#models.get(at)?.[index] === version) return void this.report.reads++;
    }
    this.report.wrong.push(`a scan shows version ${version} of key ${index} at commit ${commit}`);
  }

  #lookUpAll(commit: number): void {
    const model = this.#modelOf(commit);
    for (let index = 0; index < this.#plan.keys; index++) {
      const version = versionOf(index, this.#store.getSync(keyOf(index)));
      this.#expect(
        version === model[index],
        `commit ${commit}: key ${index} is of commit ${version}, not ${model[index]}`,
      );
    }
  }

  #expect(holds: boolean, what: string): void {
    this.report.reads++;
    if (!holds) this.report.wrong.push(what);
  }

  #modelOf(commit: number): Model {
    return this.#models.get(commit) as Model;
  }

  #valueOf(index: number, commit: number): Uint8Array {
    const value = Buffer.alloc(this.#plan.valueBytes, commit & 0xff);
    value.writeInt32LE(index, 0);
    value.writeInt32LE(commit, 4);
    return value;
  }
}

/** Whether a commit is kept in memory until one comes that is not. */
function waits(commit: number): boolean {
  const isInGroups = Math.floor(commit / COMMITS_PER_PHASE) % 2 === 1;
  return isInGroups && commit % COMMITS_PER_GROUP !== 0;
}

function keyOf(index: number): Uint8Array {
  const key = Buffer.alloc(1 + INDEX_BYTES, PREFIX);
  key.writeUIntBE(index, 1, INDEX_BYTES);
  return key;
}

function indexOf(key: Uint8Array): number {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUIntBE(1, INDEX_BYTES);
}

/** The commit that wrote a value; none for the value of another key. */
function versionOf(index: number, value: Uint8Array | undefined): number {
  if (value === undefined) return ABSENT;
  const view = new DataView(value.buffer, value.byteOffset);
  return view.getInt32(0, true) === index ? view.getInt32(4, true) : Number.NaN;
}

function isRange(entries: readonly Entry[], model: Model, from: number): boolean {
  let at = from;
  for (const [key, value] of entries) {
    while (at < model.length && model[at] === ABSENT) at++;
    if (at >= model.length || indexOf(key) !== at || versionOf(at, value) !== model[at])
      return false;
    at++;
  }
  return entries.length === READ_KEYS || model.subarray(at).every((version) => version === ABSENT);
}

/**
 * A copy of the records that must never be forgotten, in a file beside the state: which requests were made under which
 * name, which transactions were made for them, which of them were refused for good, and which addresses were given out.
 * A payment leaves the wallet, and a refusal is reported, only after the copy has it. A state that was restored from a
 * backup is older than its copy, is recognised by that, and gets back its missing records; it then pays for no request
 * a second time and gives out no address again.
 *
 * The file is an append-only log whose records are JSON, oldest first. A corrupt record costs that record alone and is
 * named. The signed bytes are not in here: a transaction that the chain does not know after a restore is never sent
 * again, and expires.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { LogFile } from 'svc-base/node';
import { LogWriter, messageOf } from 'svc-base/pure';
import { FileRefusal } from '../errors.ts';
import { checkSecret } from '../file/secret-file.ts';
import type { JournalRequest, JournalTransaction } from './journal.ts';
import { LastingFailure } from './lasting-failure.ts';
import type { State } from './open-state.ts';

export interface CopiedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly params: string;
  readonly isAutomatic: boolean;
  readonly createdAtMillis: number;
  readonly result: string | null;
  readonly caller?: string;
  readonly budget?: string;
}

export interface CopiedTransaction {
  readonly transactionId: string;
  readonly kind: string;
  readonly validUntil: number;
  /** Atoms. */
  readonly amount: string;
  readonly fee: string;
  readonly recipients: string;
  readonly createdAtMillis: number;
  readonly inputs: readonly { readonly transactionId: string; readonly outputIndex: number }[];
  /** The transaction whose coins it spends in place of it; they are told with that one. */
  readonly replaces?: string;
}

export interface CopiedAddress {
  readonly position: number;
  readonly label: string | null;
  readonly issuedAtMillis: number;
  /** The name under which it was asked for. */
  readonly requestId?: string;
}

export interface CopyLine {
  /** The fingerprint of the wallet. */
  readonly wallet: string;
  /** The position that each branch gives out next. */
  readonly next: readonly [number, number];
  /** The newest transaction up to this record. */
  readonly newest: string | null;
  /** The newest request up to this record that was refused for good, by its name. */
  readonly newestRefused?: string;
  readonly request?: CopiedRequest;
  /** Why the request was refused for good; such a record has no transaction. */
  readonly refusal?: string;
  readonly transaction?: CopiedTransaction;
  readonly addresses?: readonly CopiedAddress[];
}

/** How far the state is; what comes after is not meant. */
export interface CopyMark {
  /** The row of the newest transaction. */
  readonly transaction: number;
  /** The number of the newest refusal. */
  readonly refusal: number;
  readonly next: readonly [number, number];
}

const TRANSACTIONS_AT_ONCE = 256;
const REFUSALS_AT_ONCE = 256;
/** Addresses of one record: a restored wallet can have many thousands. */
const ADDRESSES_AT_ONCE = 1_000;
const KIND = 'wallet journal copy';
const HINT = 'move it away and start with --accept-state once you know what was paid';

export function journalCopyPath(walletPath: string): string {
  return `${walletPath}.journal`;
}

export class JournalCopy {
  readonly #path: string;
  readonly #state: State;
  readonly #file: LogFile;
  readonly #writer: LogWriter;
  #last: CopyLine | undefined;
  #copiedTransaction = 0;
  #copiedRefusal = 0;
  readonly #failure = new LastingFailure();
  readonly #corrupt = new Set<number>();

  /**
   * Opens the copy, making it for a state that never had one. A state that had one and lost it is refused, unless
   * the user says that the state is the newest.
   */
  static open(path: string, state: State, isStateAccepted = false): JournalCopy {
    const hadCopy = state.meta.get('journal_copy') !== undefined;
    if (existsSync(path)) checkSecret(path);
    else if (hadCopy && !isStateAccepted) throw missing(path);
    else mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return new JournalCopy(path, state);
  }

  private constructor(path: string, state: State) {
    this.#path = path;
    this.#state = state;
    this.#file = openLog(path);
    this.#writer = new LogWriter(this.#file, this.#findEnd());
    if (this.#last !== undefined && this.#last.wallet !== this.#wallet) {
      this.#file.close();
      const found = `belongs to wallet ${this.#last.wallet}, not to ${this.#wallet}`;
      throw new FileRefusal('wrong_wallet', path, found, 'move it away');
    }
  }

  get #wallet(): string {
    return this.#state.meta.get('fingerprint') as string;
  }

  /** Whether the copy has something that the state does not know. */
  get isAhead(): boolean {
    const { addresses, journal, stopped } = this.#state;
    if (this.#last === undefined) return false;
    const { newest, newestRefused, next } = this.#last;
    const isUnknown = newest !== null && journal.findTransaction(newest) === undefined;
    const isRefused = newestRefused !== undefined && stopped.refusalOf(newestRefused) === undefined;
    return isUnknown || isRefused || next[0] > addresses.next(0) || next[1] > addresses.next(1);
  }

  /** The numbers of records that were read and are corrupt, from 1. */
  get corrupt(): readonly number[] {
    return [...this.#corrupt];
  }

  /** For a state that needs the copy to know what was paid, of which a part is corrupt. */
  refusal(): FileRefusal {
    const found = `is needed to bring back what the state lacks, and these records of it are corrupt: ${this.corrupt.join(', ')}`;
    const hint =
      'restore a whole copy; or check which withdrawals the chain has paid, and start with --accept-state';
    return new FileRefusal('damaged', this.#path, found, hint);
  }

  /** Every intact record, oldest first. */
  *lines(): Generator<CopyLine, void> {
    let next = 0;
    for (const part of this.#file.parts()) {
      if (part.type === 'damage') this.#corrupt.add(next + 1);
      if (part.type !== 'record') continue;
      const { payload, sequence } = part.record;
      for (; next < sequence; next++) this.#corrupt.add(next + 1);
      next = sequence + 1;
      yield lineOf(payload);
    }
  }

  /** Appends what the state has and the copy lacks; it is on the disk when this returns. A failure is fatal. */
  sync(): void {
    this.#failure.guard(() => {
      // The copy must never have something that the state can still forget.
      this.#state.database.flushNow();
      this.#write(this.mark());
      this.#writer.sync();
    });
  }

  mark(): CopyMark {
    const { addresses, journal, stopped } = this.#state;
    return {
      transaction: journal.newest(),
      refusal: stopped.newestRefusal(),
      next: [addresses.next(0), addresses.next(1)],
    };
  }

  /**
   * Appends what the state had at a mark, which must be on the disk by now, and the copy lacks. Resolves when it is on
   * the disk in the copy too. A failure is fatal.
   */
  async syncUpTo(mark: CopyMark): Promise<void> {
    await this.#failure.guardAsync(async () => {
      this.#write(mark);
      await this.#writer.flush();
    });
  }

  close(): void {
    this.#file.close();
  }

  /** Writes what is missing up to a mark, without a sync. */
  #write({ next, refusal, transaction: upTo }: CopyMark): void {
    const { journal, meta } = this.#state;
    const lines: CopyLine[] = [];
    const newest = this.#last?.newest ?? null;
    if (newest !== null && this.#copiedTransaction === 0) {
      this.#copiedTransaction = journal.findTransaction(newest)?.id ?? 0;
    }
    const writeAll = (): void => {
      this.#writer.appendAll(lines.splice(0).map((line) => Buffer.from(JSON.stringify(line))));
    };
    while (this.#copiedTransaction < upTo) {
      const some = journal.transactionsAfter(this.#copiedTransaction, TRANSACTIONS_AT_ONCE);
      for (const transaction of some.filter(({ id }) => id <= upTo)) {
        lines.push(this.#lineOf(transaction));
        this.#copiedTransaction = transaction.id;
      }
      if (some.length < TRANSACTIONS_AT_ONCE) break;
      writeAll();
    }
    lines.push(...this.#refusalLines(refusal));
    const before = this.#last?.next ?? [0, 0];
    if (next[0] > before[0] || next[1] > before[1]) lines.push(...this.#addressLines(before, next));
    if (lines.length > 0) writeAll();
    if (meta.get('journal_copy') === undefined) meta.set('journal_copy', '1');
  }

  #lineOf(transaction: JournalTransaction): CopyLine {
    const { inputs, journal } = this.#state;
    const { replaces } = transaction;
    const line: CopyLine = {
      ...this.#head(),
      newest: transaction.transactionId,
      request: copiedRequest(journal.request(transaction.request)),
      transaction: {
        transactionId: transaction.transactionId,
        kind: transaction.kind,
        validUntil: transaction.validUntil,
        amount: String(transaction.amount),
        fee: String(transaction.fee),
        recipients: transaction.recipients,
        createdAtMillis: transaction.createdAtMillis,
        inputs: inputs
          .of(transaction.id)
          .map(({ outputIndex, transactionId }) => ({ transactionId, outputIndex })),
        ...(replaces === null ? {} : { replaces: journal.transaction(replaces).transactionId }),
      },
    };
    this.#last = line;
    return line;
  }

  /** What every record begins with: how far the copy is before it. */
  #head(): Pick<CopyLine, 'wallet' | 'next' | 'newest' | 'newestRefused'> {
    const { newest = null, newestRefused, next = [0, 0] } = this.#last ?? {};
    const refused = newestRefused === undefined ? {} : { newestRefused };
    return { wallet: this.#wallet, next, newest, ...refused };
  }

  /** Lines of requests that were refused for good, up to a refusal. Their transactions are told before. */
  #refusalLines(upTo: number): CopyLine[] {
    const { journal, stopped } = this.#state;
    const { newestRefused } = this.#last ?? {};
    if (newestRefused !== undefined && this.#copiedRefusal === 0) {
      this.#copiedRefusal = stopped.refusalOf(newestRefused) ?? 0;
    }
    const lines: CopyLine[] = [];
    while (this.#copiedRefusal < upTo) {
      const some = stopped.refusalsAfter(this.#copiedRefusal, REFUSALS_AT_ONCE);
      for (const { request, sequence } of some.filter((each) => each.sequence <= upTo)) {
        const refused = journal.request(request);
        const newestRefused = refused.requestId;
        const refusal = refused.refusal as string;
        this.#last = { ...this.#head(), newestRefused, request: copiedRequest(refused), refusal };
        lines.push(this.#last);
        this.#copiedRefusal = sequence;
      }
      if (some.length < REFUSALS_AT_ONCE) break;
    }
    return lines;
  }

  #addressLines(before: CopyLine['next'], upTo: CopyLine['next']): CopyLine[] {
    const next = [Math.max(before[0], upTo[0]), Math.max(before[1], upTo[1])] as const;
    const given: CopiedAddress[] = [];
    for (let position = before[0]; position < next[0]; position++) {
      const own = this.#copiedAddress(position);
      if (own !== undefined) given.push(own);
    }
    const lines: CopyLine[] = [];
    do {
      const addresses = given.splice(0, ADDRESSES_AT_ONCE);
      const upToHere = given[0] === undefined ? next : ([given[0].position, before[1]] as const);
      this.#last = { ...this.#head(), next: upToHere, addresses };
      lines.push(this.#last);
    } while (given.length > 0);
    return lines;
  }

  #copiedAddress(position: number): CopiedAddress | undefined {
    const { addresses } = this.#state;
    const own = addresses.at(0, position);
    const issuedAtMillis = own?.issuedAtMillis ?? null;
    if (own === undefined || issuedAtMillis === null) return undefined;
    const request = addresses.requestFor(own.id);
    const requestId = request === undefined ? {} : { requestId: request.requestId };
    return { position, label: own.label, issuedAtMillis, ...requestId };
  }

  /**
   * Finds the last record, cuts off a record that a crash has torn, and returns the number of the next one. A complete
   * record that is corrupt stays where it is and is named.
   */
  #findEnd(): number {
    const [last, ...rest] = this.#file.last();
    if (last === undefined) return 0;
    const torn =
      (last.type === 'torn' ? last : undefined) ?? rest.find(({ type }) => type === 'torn');
    if (torn !== undefined) this.#file.truncate(torn.at);
    if (last.type === 'torn') return 0;
    if (last.type === 'damage') throw this.#noRecord();
    this.#last = lineOf(last.record.payload);
    const next = last.record.sequence + 1;
    if (rest[0]?.type !== 'damage') return next;
    this.#corrupt.add(next + 1);
    return next + 1;
  }

  #noRecord(): FileRefusal {
    this.#file.close();
    return new FileRefusal('damaged', this.#path, 'holds no record that was written to it', HINT);
  }
}

function openLog(path: string): LogFile {
  try {
    return new LogFile(path, { kind: KIND });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw new FileRefusal('damaged', path, messageOf(error), HINT, error);
    throw new FileRefusal('unreadable', path, `cannot be opened (${code})`, undefined, error);
  }
}

function copiedRequest(request: JournalRequest): CopiedRequest {
  return {
    requestId: request.requestId,
    method: request.method,
    params: request.params,
    isAutomatic: request.isAutomatic,
    createdAtMillis: request.createdAtMillis,
    result: request.result,
    ...(request.caller === null ? {} : { caller: request.caller }),
    ...(request.budget === null ? {} : { budget: request.budget }),
  };
}

function lineOf(payload: Uint8Array): CopyLine {
  return JSON.parse(Buffer.from(payload).toString('utf8')) as CopyLine;
}

function missing(path: string): FileRefusal {
  const found = 'is missing, so that nobody can say whether the state beside it is the newest';
  const hint =
    'bring the file back; or check which withdrawals the chain has paid, and start with --accept-state';
  return new FileRefusal('missing', path, found, hint);
}

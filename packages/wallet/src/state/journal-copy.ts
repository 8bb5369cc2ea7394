/**
 * A copy of what must never be forgotten, in a file of its own beside the state: which requests were made under which
 * name, which transactions were made for them, which of them were refused for good, and which addresses were given out.
 * Nothing leaves the wallet, and nobody is told of such a refusal, before the copy has it. A state that was restored from a backup is older than its copy, is recognised by that, and gets back
 * what it lacks; it then pays for no request a second time and gives out no address again.
 *
 * Lines are JSON and its checksum with a tab between them, oldest first. A line that has rotted costs what it tells and
 * nothing else. The signed bytes are not in here: a transaction that the chain does not know after a
 * restore is never sent again, and expires.
 */
import { existsSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { FileRefusal } from '../file/file-refusal.ts';
import { checkSecret, createSecret } from '../file/secret-file.ts';
import type { JournalRequest, JournalTransaction } from './journal.ts';
import { LastingFailure } from './lasting-failure.ts';
import { LineFile } from './line-file.ts';
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
  /** The newest transaction up to this line. */
  readonly newest: string | null;
  /** The newest request up to this line that was refused for good, by its name. */
  readonly newestRefused?: string;
  readonly request?: CopiedRequest;
  /** Why the request was refused for good; such a line has no transaction. */
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
const TAB = '\t';

export function journalCopyPath(walletPath: string): string {
  return `${walletPath}.journal`;
}

export class JournalCopy {
  readonly #path: string;
  readonly #state: State;
  readonly #file: LineFile;
  #last: CopyLine | undefined;
  #copiedTransaction = 0;
  #copiedRefusal = 0;
  readonly #failure = new LastingFailure();
  readonly #rotten = new Set<number>();

  /**
   * Opens the copy, making it for a state that never had one. A state that had one and lost it is refused, unless
   * somebody says that the state is the newest.
   */
  static open(path: string, state: State, isStateAccepted = false): JournalCopy {
    const hadCopy = state.meta.get('journal_copy') !== undefined;
    if (existsSync(path)) checkSecret(path);
    else if (!hadCopy || isStateAccepted) createSecret(path, new Uint8Array(0));
    else throw missing(path);
    return new JournalCopy(path, state);
  }

  private constructor(path: string, state: State) {
    this.#path = path;
    this.#state = state;
    this.#file = new LineFile(path);
    this.#last = this.#readLast();
    if (this.#last !== undefined && this.#last.wallet !== this.#wallet) {
      this.#file.close();
      const found = `belongs to wallet ${this.#last.wallet}, not to ${this.#wallet}`;
      throw new FileRefusal('wrong_wallet', path, found, 'move it away');
    }
  }

  get #wallet(): string {
    return this.#state.meta.get('fingerprint') as string;
  }

  /** Whether the copy tells of something that the state does not know. */
  get isAhead(): boolean {
    const { addresses, journal, stopped } = this.#state;
    if (this.#last === undefined) return false;
    const { newest, newestRefused, next } = this.#last;
    const isUnknown = newest !== null && journal.findTransaction(newest) === undefined;
    const isRefused = newestRefused !== undefined && stopped.refusalOf(newestRefused) === undefined;
    return isUnknown || isRefused || next[0] > addresses.next(0) || next[1] > addresses.next(1);
  }

  /** The numbers of lines that were read and are not what was written. */
  get rotten(): readonly number[] {
    return [...this.#rotten];
  }

  /** For a state that needs the copy to know what was paid, of which a part has rotted. */
  refusal(): FileRefusal {
    const lines = this.rotten.join(', ');
    const found = `is needed to bring back what the state lacks, and these lines of it have rotted: ${lines}`;
    const hint =
      'restore a whole copy; or check which withdrawals the chain has paid, and start with --accept-state';
    return new FileRefusal('damaged', this.#path, found, hint);
  }

  /** Every whole line, oldest first. */
  *lines(): Generator<CopyLine, void> {
    let number = 0;
    for (const text of this.#file.lines()) {
      const line = parseLine(text);
      number++;
      if (line === undefined) this.#rotten.add(number);
      else yield line;
    }
  }

  /** Appends what the state has and the copy lacks; it is on the disk when this returns. A failure is fatal. */
  sync(): void {
    this.#failure.guard(() => {
      // The copy must never tell of something that the state can still forget.
      this.#state.database.flushNow();
      if (this.#write(this.mark())) this.#file.flushNow();
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
      await this.#file.flush();
    });
  }

  close(): void {
    this.#file.close();
  }

  /** Writes what is missing up to a mark, without a sync. Answers whether anything was missing. */
  #write({ next, refusal, transaction: upTo }: CopyMark): boolean {
    const { journal, meta } = this.#state;
    const lines: CopyLine[] = [];
    const newest = this.#last?.newest ?? null;
    if (newest !== null && this.#copiedTransaction === 0) {
      this.#copiedTransaction = journal.findTransaction(newest)?.id ?? 0;
    }
    let isWritten = false;
    const writeAll = (): void => {
      this.#file.write(lines.splice(0).map(textOf).join(''));
      isWritten = true;
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
    if (next[0] > before[0] || next[1] > before[1]) lines.push(this.#addressLine(before, next));
    if (lines.length > 0) writeAll();
    if (meta.get('journal_copy') === undefined) meta.set('journal_copy', '1');
    return isWritten;
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

  /** What every line begins with: how far the copy is before it. */
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

  #addressLine(before: CopyLine['next'], upTo: CopyLine['next']): CopyLine {
    const { addresses } = this.#state;
    const next = [Math.max(before[0], upTo[0]), Math.max(before[1], upTo[1])] as const;
    const given: CopiedAddress[] = [];
    for (let position = before[0]; position < next[0]; position++) {
      const own = addresses.at(0, position);
      const issuedAtMillis = own?.issuedAtMillis ?? null;
      if (own === undefined || issuedAtMillis === null) continue;
      const request = addresses.requestFor(own.id);
      const requestId = request === undefined ? {} : { requestId: request.requestId };
      given.push({ position, label: own.label, issuedAtMillis, ...requestId });
    }
    const line = { ...this.#head(), next, addresses: given };
    this.#last = line;
    return line;
  }

  #readLast(): CopyLine | undefined {
    const { last } = this.#file;
    return last === undefined ? undefined : (parseLine(last) ?? this.#lastWhole());
  }

  /** The last line that is what was written, of a file whose last line is not. */
  #lastWhole(): CopyLine {
    let last: CopyLine | undefined;
    for (const line of this.lines()) last = line;
    if (last !== undefined) return last;
    this.#file.close();
    const hint = 'move it away and start with --accept-state once you know what was paid';
    throw new FileRefusal('damaged', this.#path, 'holds no line that was written to it', hint);
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

function textOf(line: CopyLine): string {
  const json = JSON.stringify(line);
  return `${json}${TAB}${crc32(json)}\n`;
}

/** Undefined for a line that is corrupt. */
function parseLine(text: string): CopyLine | undefined {
  const [json = '', sum, ...more] = text.split(TAB);
  if (sum !== String(crc32(json)) || more.length > 0) return undefined;
  try {
    return JSON.parse(json) as CopyLine;
  } catch {
    return undefined;
  }
}

function missing(path: string): FileRefusal {
  const found = 'is missing, so that nobody can say whether the state beside it is the newest';
  const hint =
    'bring the file back; or check which withdrawals the chain has paid, and start with --accept-state';
  return new FileRefusal('missing', path, found, hint);
}

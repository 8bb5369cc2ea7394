/**
 * Requests that move money, each carried out once. A request is known by the name that its caller gave it. Its
 * transactions are recorded, signed bytes included, before the node hears of them, and a repeat is answered from the
 * record.
 */
import { coinsOf } from '../amounts.ts';
import { WalletError } from '../errors.ts';
import type { JournalRequest, JournalTransaction, Outcome } from '../state/journal.ts';
import {
  CompoundFirst,
  type Foreseen,
  needsMerging,
  type OutgoingPorts,
  refusedForGood,
} from './compound-first.ts';
import { type Caller, expectValid, expectWithinLimits, mayDecideOn, spendingOf } from './limits.ts';
import {
  canonicalJson,
  type Made,
  type MadeTransaction,
  type OutgoingRequest,
  recordRequest,
  recordTransactions,
} from './record.ts';
import type { NewRecord } from './sender.ts';

export interface Reply {
  readonly submitted: boolean;
  readonly duplicate: boolean;
  readonly mismatch?: true;
  readonly outcome?: string;
  readonly [field: string]: unknown;
}

/** How the answer to a repeat differs from the first answer. */
interface RepeatMarks {
  readonly duplicate?: true;
  readonly mismatch?: true;
}

/** A request that was recorded for the first time. */
interface Recorded {
  readonly request: number;
  /** The one transaction that is sent next; null where there is none yet, or several. */
  readonly next: { readonly result: object; readonly record: NewRecord } | null;
}

export class Outgoing {
  readonly #ports: OutgoingPorts;
  readonly #inFlight = new Map<string, { method: string; performed: Promise<unknown> }>();
  readonly #compoundFirst: CompoundFirst;
  #made = 0;

  constructor(ports: OutgoingPorts) {
    this.#ports = ports;
    this.#compoundFirst = new CompoundFirst(ports);
  }

  /** How many requests were recorded for the first time, since the daemon started. */
  get made(): number {
    return this.#made;
  }

  /** The method of the call of this name that is being carried out now, if one is. */
  methodInFlight(requestId: string): string | undefined {
    return this.#inFlight.get(requestId)?.method;
  }

  /** Continues requests that a restart interrupted before their payment was made. */
  resume(): void {
    for (const request of this.#ports.state.journal.acceptedRequests()) {
      void this.#compoundFirst.drive(request.id).catch(() => {});
    }
  }

  async perform(request: OutgoingRequest): Promise<Reply> {
    for (;;) {
      const running = this.#inFlight.get(request.requestId);
      if (running === undefined) break;
      await running.performed.catch(() => {});
    }
    const known = this.#ports.state.journal.findRequest(request.requestId);
    const performed = known === undefined ? this.#first(request) : this.#again(known, request);
    this.#inFlight.set(request.requestId, { method: request.method, performed });
    return await performed.finally(() => this.#inFlight.delete(request.requestId));
  }

  /**
   * Returns what the request would do now: for a name that was used before, its first result as a repeat gets it.
   * Nothing is signed, recorded or sent.
   */
  async preview(request: OutgoingRequest): Promise<Reply> {
    const known = this.#ports.state.journal.findRequest(request.requestId);
    if (known !== undefined) return this.#previewRepeat(known, request);
    const { made, merges } = await this.#foresee(request);
    const merging = merges.length === 0 ? {} : { merges: sumsOfMerges(merges) };
    return { ...made.result, ...merging, submitted: false, duplicate: false, dry_run: true };
  }

  /** What a request would make, within the limits of its caller. */
  async #foresee(request: OutgoingRequest): Promise<Foreseen> {
    const { makerOf, turns } = this.#ports;
    const make = makerOf(request.method, request.params);
    const foreseen = wantsMerging(request)
      ? await this.#compoundFirst.foresee(request)
      : { made: await turns.withBuilder(true, make), merges: [] };
    this.#expectAllowed(request, [...foreseen.merges, ...foreseen.made.transactions]);
    return foreseen;
  }

  #previewRepeat(known: JournalRequest, request: OutgoingRequest): Reply {
    const marks = marksOf(known, request);
    if (this.#ports.state.stopped.isHeld(known.id)) throw heldBack(marks);
    if (known.state === 'accepted') throw outcomeUnknown(null, marks);
    if (known.state === 'refused') throw this.#refusedBefore(known, marks);
    const own = ownTransactions(known, this.#ports.state.journal.transactionsOf(known.id));
    const refused = own.find(({ refusal }) => refusal !== null);
    if (refused !== undefined) throw nodeRefused(refused, marks);
    const result = JSON.parse(known.result as string) as object;
    const submitted = own.every(isDelivered);
    const outcome = outcomeOf(own);
    return {
      ...result,
      submitted,
      duplicate: true,
      ...marks,
      ...(outcome === null ? {} : { outcome }),
      dry_run: true,
    };
  }

  /** The error for a repeat of a refused request, once the journal copy certainly has the refusal. */
  #refusedBefore({ refusal }: JournalRequest, marks: RepeatMarks): WalletError {
    this.#ports.syncCopy();
    const { kind, message } = JSON.parse(refusal as string) as Pick<
      WalletError,
      'kind' | 'message'
    >;
    return refusedForGood(kind, message, { details: { ...marks } });
  }

  async #first(request: OutgoingRequest): Promise<Reply> {
    const { isPayment, makerOf, reached, turns } = this.#ports;
    const make = makerOf(request.method, request.params);
    const record = (made: Made, changeAddresses: number): Recorded => {
      this.#expectAllowed(request, made.transactions);
      reached('before_journal');
      return this.#record(request, made, changeAddresses);
    };
    const refuse = (error: unknown): null => {
      if (needsMerging(error) && wantsMerging(request)) return null;
      throw error;
    };
    const recorded = isPayment(request.method)
      ? await turns.enqueue({ make, record, refuse })
      : await turns.withBuilder(false, async (builder) =>
          record(await make(builder), builder.changeAddresses),
        );
    const begun = recorded ?? { request: await this.#beginMerging(request), next: null };
    this.#made++;
    return await this.#deliverFirst(begun, request.caller);
  }

  /** Records a payment with its first merges, unless it is known by now that it would be refused. */
  async #beginMerging(request: OutgoingRequest): Promise<number> {
    await this.#foresee(request);
    return await this.#compoundFirst.begin(request);
  }

  /** Sends what has just been recorded; of one transaction that the node takes nothing is read again. */
  async #deliverFirst({ next, request }: Recorded, caller: Caller | undefined): Promise<Reply> {
    const { history, sender, state } = this.#ports;
    if (next === null || history.contradiction !== null)
      return await this.#deliver(request, {}, caller);
    const sent = await sender.sendNew(next.record);
    if (sent === 'known') return { ...next.result, submitted: true, duplicate: false };
    const waiting = new Set(sent === 'waiting' ? [next.record.id] : []);
    return this.#replyOf(state.journal.request(request), {}, waiting);
  }

  /** Throws what keeps the caller from making transactions: its token was revoked since, or has limits. */
  #expectAllowed({ caller }: OutgoingRequest, transactions: readonly MadeTransaction[]): void {
    const { clock, state } = this.#ports;
    expectValid(caller);
    const limits = caller?.limits ?? null;
    if (limits === null) return;
    for (const { replaces } of transactions) {
      if (replaces === undefined) continue;
      const { request } = state.journal.transaction(replaces);
      if (!mayDecideOn(caller, state.journal.request(request))) throw otherBudget();
    }
    expectWithinLimits(state, limits, spendingOf(transactions), clock.now());
  }

  /** Records a request in one commit, which is on the disk before anything of it leaves the wallet. */
  #record(request: OutgoingRequest, made: Made, changeAddresses: number): Recorded {
    const { clock, reached, state } = this.#ports;
    const { result, transactions } = made;
    return state.database.lazily(() => {
      const asked = recordRequest(state, request, clock, result);
      // Of several transactions the later ones may never be tried if the daemon dies between them, and a refusal of
      // these must stay certain: their attempts are recorded one by one.
      const isSentNext = transactions.length === 1;
      const rows = recordTransactions(
        state,
        asked,
        transactions,
        { changeAddresses },
        clock,
        isSentNext,
      );
      reached('journal_uncommitted');
      const [id] = rows;
      const [only] = transactions;
      if (!isSentNext || id === undefined || only === undefined) {
        return { request: asked.id, next: null };
      }
      const { transactionId, wire } = only.built;
      return { request: asked.id, next: { result, record: { id, transactionId, wire } } };
    });
  }

  async #again(known: JournalRequest, request: OutgoingRequest): Promise<Reply> {
    const marks = marksOf(known, request);
    if (marks.mismatch === true) this.#ports.mismatches.tell(request);
    return await this.#deliver(known.id, marks, request.caller);
  }

  /**
   * Sends the transactions of the request that the node does not have yet, and returns the recorded result. Nothing is
   * sent while two histories contradict each other; the outcome is then unknown.
   */
  async #deliver(id: number, marks: RepeatMarks, caller: Caller | undefined): Promise<Reply> {
    const { history, sender, state } = this.#ports;
    let request = state.journal.request(id);
    if (state.stopped.isHeld(id)) {
      if (marks.mismatch === true || !mayDecideOn(caller, request)) throw heldBack(marks);
      state.stopped.release(id);
    }
    if (request.state === 'accepted') {
      const isMade = await this.#compoundFirst.waitFor(id, caller);
      if (!isMade) throw state.stopped.isHeld(id) ? heldBack(marks) : outcomeUnknown(null, marks);
      request = state.journal.request(id);
    }
    if (request.state === 'refused') throw this.#refusedBefore(request, marks);
    const waiting = new Set<number>();
    for (const transaction of state.journal.transactionsOf(id)) {
      const mayBeSent = !isDelivered(transaction) && history.contradiction === null;
      if (!mayBeSent) continue;
      // The caller has waited once for a node that takes nothing; the others are tried without waiting.
      const patience = waiting.size > 0 ? { patienceMillis: 0 } : {};
      const sent = await sender.send(transaction.id, patience);
      if (sent === 'waiting') waiting.add(transaction.id);
    }
    // The caller may rely on the record even where nothing was sent.
    if (history.contradiction !== null) await state.database.flush();
    return this.#replyOf(request, marks, waiting);
  }

  /** What the record says of a request whose transactions were sent, but for those that wait for the node. */
  #replyOf(request: JournalRequest, marks: RepeatMarks, waiting: ReadonlySet<number>): Reply {
    const { journal } = this.#ports.state;
    const own = ownTransactions(request, journal.transactionsOf(request.id));
    const refused = own.find(({ refusal }) => refusal !== null);
    if (refused !== undefined) throw nodeRefused(refused, marks);
    const open = own.filter((transaction) => !isDelivered(transaction));
    const doubtful = open.find((transaction) => !waiting.has(transaction.id));
    if (doubtful !== undefined) throw outcomeUnknown(doubtful.transactionId, marks);
    const outcome = marks.duplicate === true ? outcomeOf(own) : null;
    const result = JSON.parse(request.result as string) as object;
    return {
      ...result,
      submitted: open.length === 0,
      duplicate: false,
      ...marks,
      ...(outcome === null ? {} : { outcome }),
    };
  }
}

function wantsMerging({ params }: OutgoingRequest): boolean {
  return (params as { compound_first?: boolean }).compound_first === true;
}

/** What a dry run returns of the merges that come before a payment. */
function sumsOfMerges(merges: readonly MadeTransaction[]): object {
  const plans = merges.map(({ built }) => built.plan);
  return {
    transactions: plans.length,
    outputs: plans.reduce((sum, { coins }) => sum + coins.length, 0),
    fee: coinsOf(plans.reduce((sum, { fee }) => sum + fee, 0n)),
  };
}

function isDelivered({ refusal, state }: JournalTransaction): boolean {
  return refusal !== null || state === 'known' || state === 'final';
}

function marksOf(known: JournalRequest, { method, params }: OutgoingRequest): RepeatMarks {
  const isSame = known.method === method && known.params === canonicalJson(params);
  return { duplicate: true, ...(isSame ? {} : { mismatch: true }) };
}

/**
 * The transactions that do what a request asked for. Merges that had to come before a payment are none of them: the
 * payment may be made although a merge before it was refused or has expired.
 */
export function ownTransactions(
  { method }: Pick<JournalRequest, 'method'>,
  transactions: readonly JournalTransaction[],
): readonly JournalTransaction[] {
  return method === 'compound'
    ? transactions
    : transactions.filter(({ kind }) => kind !== 'compound');
}

/** The outcome of all transactions together; null while one is open. */
export function outcomeOf(transactions: readonly JournalTransaction[]): Outcome | null {
  if (transactions.some(({ outcome }) => outcome === null)) return null;
  const failed = transactions.find(({ outcome }) => outcome !== 'finalized');
  return failed?.outcome ?? 'finalized';
}

function nodeRefused(
  { kind, refusal, transactionId }: JournalTransaction,
  marks: RepeatMarks,
): WalletError {
  const { code, message } = JSON.parse(refusal as string) as { code: string; message: string };
  return new WalletError('node_refused', `the node refused the transaction: ${message}`, {
    hint:
      kind === 'cancel'
        ? 'the payment is not cancelled, and the daemon goes on with it'
        : 'nothing was paid; the outputs are free again once the transaction has expired, or cancel frees them',
    details: { transaction: transactionId, node_code: code, ...marks },
  });
}

function outcomeUnknown(transaction: string | null, marks: RepeatMarks): WalletError {
  const message =
    transaction === null
      ? 'outputs are being merged before the payment is made'
      : 'the node has not confirmed that it has the transaction';
  return new WalletError('outcome_unknown', message, {
    hint: 'repeat with the same request_id; the daemon goes on with the same request',
    details: { transaction, ...marks },
  });
}

function otherBudget(): WalletError {
  return new WalletError('other_budget', 'the payment was not made with the budget of the token', {
    path: 'payment',
    hint: 'tokens of its budget cancel it, and tokens that allow everything',
  });
}

/**
 * A request that waits to be asked for again: it came back from a backup and its end is unknown, or
 * its token was revoked.
 */
function heldBack(marks: RepeatMarks): WalletError {
  const message =
    'outputs were merged for the payment, and then a backup was restored or its token revoked';
  return new WalletError('outcome_unknown', message, {
    hint: 'repeat with the same request_id and parameters and a token of the same budget, or one that allows everything, and the daemon goes on with it; before that nothing is paid',
    details: { transaction: null, ...marks },
  });
}

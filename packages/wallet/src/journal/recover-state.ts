/**
 * Brings a state that was restored from a backup up to what its journal copy tells: requests, their transactions,
 * which of them were refused for good, and the addresses that were given out. Whether the transactions were executed is for
 * the chain to say. A request whose end is not in the copy is held until its caller asks again.
 */
import type { Keychain } from '../keys/keychain.ts';
import type { Branch } from '../state/addresses.ts';
import type { CopiedRequest, CopyLine, JournalCopy } from '../state/journal-copy.ts';
import type { State } from '../state/open-state.ts';
import { recoverSpending } from './limits.ts';

export interface Recovered {
  readonly requests: number;
  readonly transactions: number;
  readonly addresses: number;
  /** Requests without an end, which wait to be asked for again. */
  readonly held: number;
}

/** What was taken over so far. */
type Counts = { -readonly [Name in Exclude<keyof Recovered, 'held'>]: number };

/**
 * Takes over what the copy has and the state lacks, in one commit. A copy of which a part is corrupt is refused, unless
 * the user says that what was paid is known: a request that it forgets would be paid again.
 */
export function recoverState(
  state: State,
  keychain: Keychain,
  copy: JournalCopy,
  isStateAccepted = false,
): Recovered {
  const counts = { requests: 0, transactions: 0, addresses: 0 };
  return state.database.transaction(() => {
    for (const line of copy.lines()) recoverLine(state, keychain, line, counts);
    if (copy.corrupt.length > 0 && !isStateAccepted) throw copy.refusal();
    state.meta.set('recovering', 'backup');
    return { ...counts, held: state.stopped.holdAccepted() };
  });
}

function recoverLine(state: State, keychain: Keychain, line: CopyLine, counts: Counts): void {
  const { addresses = [], next, refusal, request, transaction } = line;
  for (const { issuedAtMillis, label, position, requestId } of addresses) {
    if (position < state.addresses.next(0)) continue;
    giveOutBefore(state, keychain, 0, position, issuedAtMillis);
    keychain.ahead(0, 0);
    state.addresses.issue(0, label, issuedAtMillis, requestId);
    counts.addresses++;
  }
  for (const branch of [0, 1] as const) giveOutBefore(state, keychain, branch, next[branch], 0);
  if (request !== undefined && refusal !== undefined) {
    recoverRefusal(state, request, refusal, counts);
  }
  if (request === undefined || transaction === undefined) return;
  if (state.journal.findTransaction(transaction.transactionId) !== undefined) return;
  const known = state.journal.findRequest(request.requestId);
  const id = known?.id ?? state.journal.addRequest(request, 'accepted');
  if (known === undefined) counts.requests++;
  if (request.result !== null) state.journal.finishRequest(id, request.result);
  const { replaces } = transaction;
  const replaced = replaces === undefined ? undefined : state.journal.findTransaction(replaces);
  const row = state.journal.addRecovered({
    ...transaction,
    replaces: replaced?.id ?? null,
    request: id,
    amount: BigInt(transaction.amount),
    fee: BigInt(transaction.fee),
  });
  for (const input of transaction.inputs) state.inputs.add(input, row);
  recoverSpending(state, request, transaction);
  counts.transactions++;
}

/** Takes over that a request was refused for good, also where the records of its transactions are corrupt. */
function recoverRefusal(
  { journal, stopped }: State,
  request: CopiedRequest,
  refusal: string,
  counts: Counts,
): void {
  const known = journal.findRequest(request.requestId);
  if (known !== undefined && known.state !== 'accepted') return;
  if (known === undefined) counts.requests++;
  stopped.refuse(known?.id ?? journal.addRequest(request, 'accepted'), refusal);
}

/** Gives out every position of a branch below another one. */
function giveOutBefore(
  state: State,
  keychain: Keychain,
  branch: Branch,
  position: number,
  nowMillis: number,
): void {
  while (state.addresses.next(branch) < position) {
    keychain.ahead(branch, 0);
    state.addresses.issue(branch, null, nowMillis);
  }
}

/**
 * Ends a recovery once the chain was read: coins of recovered transactions that are still open are reserved, and those
 * that come later will be. What an outdated state lacks cannot be brought back, so that it stays outdated until the user
 * accepts it.
 */
export function endRecovery({ database, inputs, meta }: State): void {
  if (meta.get('recovering') !== 'backup') return;
  database.transaction(() => {
    inputs.reserve();
    inputs.forgetExecuted();
    meta.remove('recovering');
  });
}

/**
 * Executes a command of the table: options become parameters, the wallet is called, the answer is printed.
 */
import { randomUUID } from 'node:crypto';
import type { MethodResult } from 'svc-api/rpc';
import { CliError, EXIT, note } from 'svc-base/cli';
import { type NamedRow, type OptionRow, optionOf } from '../commands/row.ts';
import { readDocument, readRecipients, recipientOf } from '../input.ts';
import { askYes, type CommandOptions, needsYes, textOf } from '../options.ts';
import { withSession } from '../session/open-session.ts';
import type { Need, Session } from '../session/session.ts';
import { print, showResult } from '../show.ts';

type Params = Record<string, unknown>;

export async function executeCommand(row: NamedRow, options: CommandOptions): Promise<void> {
  const params = await paramsOf(row, options);
  await withSession(options, needOf(row, options), row.name, async (session) => {
    const answer =
      row.question === undefined
        ? await ask(session, row, params)
        : await move(session, row, row.question, params, options);
    if (row.method === 'rescan') await session.refresh();
    print(options, row.method, answer);
    if (saysNo(answer)) process.exitCode = EXIT.refused;
  });
}

/** Whether the answer is that of a check which failed. */
function saysNo(answer: { valid?: boolean; verified?: boolean }): boolean {
  return answer.valid === false || answer.verified === false;
}

function needOf({ isOffline, method, question }: NamedRow, options: CommandOptions): Need {
  // A wallet whose history contradicts that of the node cannot catch up; a rescan is the way out.
  if (isOffline === true || method === 'rescan') return 'keys';
  return question !== undefined && options['dryRun'] !== true ? 'follow' : 'chain';
}

async function ask(session: Session, { method }: NamedRow, params: Params): Promise<object> {
  return await session.call(method, params);
}

async function move(
  session: Session,
  row: NamedRow,
  question: string,
  params: Params,
  options: CommandOptions,
): Promise<object> {
  const given = textOf(options, 'requestId');
  const request_id = given ?? `cli-${randomUUID()}`;
  if (options['dryRun'] === true) {
    return await ask(session, row, { ...params, request_id, dry_run: true });
  }
  if (needsYes(options)) {
    const preview = await ask(session, row, { ...params, request_id, dry_run: true });
    note(showResult(row.method, preview));
    if (!(await askYes(question))) throw new CliError(EXIT.failed, 'nothing was done');
  }
  if (given === undefined) note(`request id ${request_id}`);
  const answer = await ask(session, row, { ...params, request_id });
  if ('mismatch' in answer) throw usedBefore(request_id, answer);
  if (options['wait'] === true) return { ...answer, ...(await waitFinal(session, answer)) };
  return answer;
}

function usedBefore(requestId: string, first: object): CliError {
  const { transaction = '' } = first as { transaction?: string };
  const message = `request id ${requestId} was used before with other parameters; nothing was paid now`;
  const hint = `the first one made transaction ${transaction}; a new payment needs a name of its own`;
  return new CliError(EXIT.refused, message, { hint });
}

async function paramsOf(row: NamedRow, options: CommandOptions): Promise<Params> {
  const params: Params = {};
  for (const option of row.options) {
    const value = await readValue(option, options[optionOf(option).attributeName()]);
    if (value === undefined) continue;
    const before = params[option.param];
    params[option.param] = Array.isArray(before) ? before.concat(value) : value;
  }
  return params;
}

async function readValue({ flags, kind }: OptionRow, value: unknown): Promise<unknown> {
  if (value === undefined) return undefined;
  const flag = flags.split(' ')[0] as string;
  if (kind === 'pairs') return (value as string[]).map((pair) => recipientOf(pair, '=', flag));
  if (kind === 'recipients') return await readRecipients(value as string, flag);
  return kind === 'document' ? await readDocument(value as string, flag) : value;
}

const POLL_MILLIS = 100;
const WAIT_MILLIS_MAX = 3_600_000;

interface Sent {
  readonly transaction?: string;
  readonly transactions?: readonly string[];
}

export async function waitFinal(session: Session, sent: Sent): Promise<{ outcome: 'finalized' }> {
  for (const id of sent.transactions ?? [sent.transaction as string]) {
    const outcome = await outcomeOf(session, id);
    if (outcome !== 'finalized') {
      throw new CliError(EXIT.failed, `transaction ${id} came to nothing: ${outcome}`);
    }
  }
  return { outcome: 'finalized' };
}

async function outcomeOf(session: Session, transaction: string): Promise<string> {
  const end = Date.now() + WAIT_MILLIS_MAX;
  while (Date.now() < end) {
    const { outcome, state } = await lookUp(session, transaction);
    if (state === 'final' && outcome !== null) return outcome;
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS));
  }
  throw new CliError(EXIT.unknown, `transaction ${transaction} is not final yet`, {
    hint: hintOf(transaction),
  });
}

/** Whatever keeps the wallet from telling, the transaction was sent: the command that sent it is not to be given again. */
async function lookUp(session: Session, transaction: string): Promise<MethodResult<'transaction'>> {
  try {
    return await session.call('transaction', { transaction });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `transaction ${transaction} was sent, and its outcome is unknown: ${reason}`;
    throw new CliError(EXIT.unknown, message, { hint: hintOf(transaction), cause });
  }
}

function hintOf(transaction: string): string {
  return `svc-wallet transaction --transaction ${transaction}`;
}

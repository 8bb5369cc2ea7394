/**
 * Waits until the outcome of a command's transactions is final.
 */
import type { MethodResult } from 'svc-api/rpc';
import { CliError, EXIT } from 'svc-base/cli';
import type { Session } from '../session/session.ts';

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

/**
 * Waits until the outcome of a command's transactions is final.
 */
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
    const { outcome, state } = await session.call('transaction', { transaction });
    if (state === 'final' && outcome !== null) return outcome;
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS));
  }
  const hint = `svc-wallet transaction --transaction ${transaction}`;
  throw new CliError(EXIT.unknown, `transaction ${transaction} is not final yet`, { hint });
}

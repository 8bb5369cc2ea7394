/**
 * What a wallet that cannot cover a payment returns to its caller: what is free now, what is waiting and why, and after
 * what the payment may be tried again. Waiting money is never spent here; it is only counted.
 */

import type { Funds } from 'svc-api/rpc';
import { coinsOf } from '../amounts.ts';
import { WalletError } from '../errors.ts';
import { OWN_KINDS } from '../journal/limits.ts';
import type { JournalTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';

type FundsState = Pick<State, 'journal' | 'outputs'>;

export interface Shortage {
  /** Atoms that lack beside everything that is free now. */
  readonly missing: bigint;
  /** Atoms of each payment to this wallet that waits in the mempool. */
  readonly incoming: readonly bigint[];
  /** The fee for spending one output more. */
  readonly inputCost: bigint;
}

/** The refusal of a payment that the free outputs do not cover. */
export function shortOfFunds(state: FundsState, shortage: Shortage): WalletError {
  const funds = fundsOf(state, shortage);
  const { repeat_after: after } = funds;
  if (after === null) {
    return new WalletError('insufficient_funds', 'the free outputs do not cover amount and fee', {
      hint: 'more coins are needed: what is waiting would not cover it either',
      details: { funds },
    });
  }
  if (sum(comingBack(state)) >= shortage.missing) {
    const message = 'coins that would cover it come back with transactions that are not final yet';
    const hint = 'repeat in a moment; pending lists the transactions';
    return new WalletError('wallet_busy', message, { hint, details: { funds } });
  }
  const message = 'the free outputs do not cover amount and fee; coins that would are waiting';
  const hint =
    after.height === null
      ? 'repeat with the same request_id once the payments are final that incoming lists'
      : `repeat with the same request_id after height ${after.height}, when transactions that were refused or never sent give their outputs back`;
  // As it stands the call is refused; what the catalogue says of the kind is meant for wallets that wait for nothing.
  return new WalletError('insufficient_funds', message, {
    hint,
    details: { funds },
    retry: 'later',
  });
}

function fundsOf(state: FundsState, shortage: Shortage): Funds {
  const { balance, reserved } = state.outputs.totals();
  const refused = heldBy(state, ({ state: at }) => at === 'refused');
  const proposed = heldBy(state, (transaction) => isProposal(state, transaction));
  const held = [...refused, ...proposed].sort((a, b) => a.freeAfter - b.freeAfter);
  return {
    available: coinsOf(balance - reserved),
    missing: coinsOf(shortage.missing),
    change: coinsOf(sum(comingBack(state))),
    incoming: coinsOf(sum(shortage.incoming)),
    refused: coinsOf(sumOf(refused)),
    ...(proposed.length === 0 ? {} : { proposed: coinsOf(sumOf(proposed)) }),
    repeat_after: repeatAfter(sum(comingBack(state)), held, shortage),
  };
}

/** The first point at which waiting money covers what is missing: what is nearest is counted first. */
function repeatAfter(
  change: bigint,
  held: readonly HeldOutputs[],
  { incoming, inputCost, missing }: Shortage,
): Funds['repeat_after'] {
  const worth = (amounts: readonly bigint[]): bigint =>
    sum(amounts.map((amount) => (amount > inputCost ? amount - inputCost : 0n)));
  let covered = change;
  if (covered >= missing) return { event: 'settled', height: null };
  covered += worth(incoming);
  if (covered >= missing) return { event: 'finalized', height: null };
  for (const { amounts, freeAfter } of held) {
    covered += worth(amounts);
    if (covered >= missing) return { event: 'settled', height: freeAfter };
  }
  return null;
}

interface HeldOutputs {
  readonly amounts: readonly bigint[];
  /** The outputs are free once a cut above this height is final. */
  readonly freeAfter: number;
}

/** Outputs of open transactions from which nothing may come back before their time has passed. */
function heldBy(
  { journal, outputs }: FundsState,
  isMeant: (transaction: JournalTransaction) => boolean,
): HeldOutputs[] {
  return journal
    .open()
    .filter(isMeant)
    .map(({ id, validUntil }) => ({
      amounts: outputs.reservedBy(id).map(({ amount }) => amount),
      freeAfter: validUntil,
    }));
}

/** Whether it waits for people to sign it, who may not do so before its time has passed. */
function isProposal({ journal }: FundsState, { attempts, id }: JournalTransaction): boolean {
  return attempts === 0 && journal.wireOf(id) === null;
}

/**
 * What is the wallet's again once a transaction under way is final, for each of them: change, and what is merged. It
 * cannot be spent before. A transaction that a node refused keeps its outputs until its time has passed, and is not
 * counted; nor is a proposal that others have to sign.
 */
export function comingBack(state: FundsState): bigint[] {
  const { journal, outputs } = state;
  const returning = ({ amount, fee, id, kind }: JournalTransaction): bigint => {
    const held = sum(outputs.reservedBy(id).map((output) => output.amount));
    const leaves = fee + (OWN_KINDS.has(kind) ? 0n : amount);
    return held > leaves ? held - leaves : 0n;
  };
  return journal
    .open()
    .filter((transaction) => transaction.state !== 'refused' && !isProposal(state, transaction))
    .map(returning);
}

function sumOf(held: readonly HeldOutputs[]): bigint {
  return sum(held.flatMap(({ amounts }) => amounts));
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

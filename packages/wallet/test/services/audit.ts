/**
 * Holds the books of services against what was paid to them, and against what the chain has at the addresses that they
 * were to pay.
 */
import assert from 'node:assert/strict';
import { formatAmount } from 'svc-wasm';
import type { Language } from '../testing/document-program.ts';
import type { Order, Stage } from './stage.ts';

export interface Credit {
  readonly address: string;
  readonly amount: string;
}

const atomsOf = (amount: string): bigint => BigInt(amount.replace('.', ''));
const byAmount = (a: Credit, b: Credit): number => (atomsOf(a.amount) < atomsOf(b.amount) ? -1 : 1);

/** Every deposit stands in the book once, at the address that it was paid to, and nothing else does. */
export function auditDeposits(stage: Stage, language: Language, paid: readonly Credit[]): void {
  const credited = stage.book('deposits', language).map(({ address, amount }) => ({
    address: String(address),
    amount: String(amount),
  }));
  assert.deepEqual(
    credited.toSorted(byAmount),
    paid.toSorted(byAmount),
    `deposits in the book of the service in ${language}`,
  );
}

/** Every order stands in the book as sent, and the chain has what it says at an address of its own, once. Answers the fees in atoms. */
export async function auditWithdrawals(
  stage: Stage,
  language: Language,
  orders: readonly Order[],
): Promise<bigint> {
  const book = new Map(stage.book('withdrawals', language).map((row) => [String(row['id']), row]));
  assert.equal(book.size, orders.length);
  let fees = 0n;
  for (const { id, to, amount } of orders) {
    const { state, transaction } = book.get(id) ?? {};
    assert.equal(state, 'sent', id);
    const [first, ...others] = await outputsAt(stage, to);
    const paid = [first?.outpoint.transaction_id, first?.amount, others.length];
    assert.deepEqual(
      paid,
      [transaction, String(atomsOf(amount)), 0],
      `${id} is paid once: ${JSON.stringify([first, ...others])}`,
    );
  }
  // Only now: a name that the wallet does not know would be paid by this.
  for (const { id, to, amount } of orders) {
    const again = await stage.client.call('send', { to, amount, request_id: id });
    const transaction = book.get(id)?.['transaction'];
    assert.deepEqual([again.duplicate, again.transaction], [true, transaction], id);
    fees += atomsOf(again.fee);
  }
  return fees;
}

/** The wallet holds what was paid to it less what it has paid and the fees of that. */
export async function auditSums(
  { client }: Stage,
  paid: readonly Credit[],
  orders: readonly Order[],
  fees: bigint,
): Promise<void> {
  const sum = (entries: readonly { readonly amount: string }[]): bigint =>
    entries.reduce((total, { amount }) => total + atomsOf(amount), 0n);
  const { balance } = await client.call('balance', {});
  assert.equal(balance, formatAmount(String(sum(paid) - sum(orders) - fees)), 'sums add up');
}

interface Output {
  readonly outpoint: { readonly transaction_id: string };
  readonly amount: string;
}

/** What the node has at an address; nobody ever spends there. */
async function outputsAt({ node }: Stage, address: string): Promise<readonly Output[]> {
  const answer = await fetch(`${node.url}/v1/address/${address}/utxos`);
  const { utxos } = (await answer.json()) as { utxos: readonly Output[] };
  return utxos;
}

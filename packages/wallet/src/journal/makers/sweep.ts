/**
 * Sends everything there is, or everything at one address, to one recipient: as many transactions as it takes,
 * up to a limit.
 */
import { formatAmount } from 'svc-wasm';
import { WalletError } from '../../base/wallet-error.ts';
import { inputCost } from '../../spend/plan.ts';
import type { Workbench } from '../../spend/workbench.ts';
import type { Coin } from '../../state/outputs.ts';
import type { Made, MadeTransaction } from '../record.ts';
import { makeCompound, sums } from './compound.ts';

/** Transactions of one call; the result tells what is left for the next. */
const TRANSACTIONS_MAX = 64;

export interface SweepParams {
  readonly to: string;
  /** Only what this address of the wallet holds. */
  readonly address?: string;
  /** Only payments to addresses that were given out: no change. */
  readonly payments_only?: boolean;
}

export interface CompoundParams {
  readonly address?: string;
}

export async function makeSweep(bench: Workbench, params: SweepParams): Promise<Made> {
  const { inputsMax } = bench.context.terms;
  const { coins, more } = coinsOf(bench, params);
  const transactions: MadeTransaction[] = [];
  for (let at = 0; at < coins.length; at += inputsMax) {
    const plan = await bench.planSweep(params.to, coins.slice(at, at + inputsMax));
    const amount = plan.payments.reduce((sum, payment) => sum + payment.amount, 0n);
    const recipients = [{ to: params.to, amount: formatAmount(String(amount)) }];
    transactions.push({ kind: 'sweep', built: bench.build(plan), amount, recipients });
  }
  if (transactions.length === 0) {
    throw new WalletError('nothing_to_do', 'no output is worth more than the fee for spending it');
  }
  const result = { kind: 'sweep', to: params.to, ...sums(transactions), more };
  return { transactions, result };
}

/** Merges the smallest outputs, of the wallet or of one address. */
export async function makeCompoundOf(bench: Workbench, params: CompoundParams): Promise<Made> {
  return await makeCompound(bench, coinsOf(bench, params).coins);
}

function coinsOf(
  bench: Workbench,
  { address, payments_only }: { address?: string; payments_only?: boolean },
): { coins: Coin[]; more: boolean } {
  const limit = TRANSACTIONS_MAX * bench.context.terms.inputsMax;
  const found = findCoins(bench, address, payments_only === true, limit + 1);
  const worthy = found.filter((coin) => coin.amount > inputCost(coin, bench.context));
  return { coins: worthy.slice(0, limit), more: found.length > limit };
}

function findCoins(
  { state }: Workbench,
  address: string | undefined,
  paymentsOnly: boolean,
  limit: number,
): Coin[] {
  if (address === undefined) {
    return paymentsOnly ? state.outputs.freePayments(limit) : state.outputs.smallest(limit);
  }
  const own = state.addresses.find(address);
  if (own !== undefined) return state.outputs.freeOf(own.id, limit);
  throw new WalletError('unknown_address', 'the address does not belong to this wallet', {
    path: 'address',
  });
}

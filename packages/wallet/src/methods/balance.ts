/** `balance`: counters that every commit keeps, whatever the number of outputs. */
import type { Handler } from './handler.ts';
import { coinsOf } from './values.ts';

export const balance: Handler<'balance'> = ({ incoming, scanner, state }) => {
  const totals = state.outputs.totals();
  const waiting = incoming.list().reduce((sum, { atoms }) => sum + atoms, 0n);
  return {
    balance: coinsOf(totals.balance),
    available: coinsOf(totals.balance - totals.reserved),
    reserved: coinsOf(totals.reserved),
    incoming: coinsOf(waiting),
    outputs: totals.outputCount,
    indexed_height: scanner.indexedHeight,
  };
};

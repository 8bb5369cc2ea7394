/**
 * Burns. A transaction's output to the burn address is never created and its amount leaves the supply;
 * a reward to that address is an output like any other, which no key can spend.
 */
import type { CutContext } from '../context.ts';
import type { Burn } from '../cut.ts';

export function burn(context: CutContext, event: Burn): void {
  if (event.amount === 0n) return;
  context.economy.burned += event.amount;
  context.events.burns.push(event);
}

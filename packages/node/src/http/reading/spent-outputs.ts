/**
 * What the inputs of a transaction spend: from the mempool while it waits, else from the changes of the cut that
 * executed it, as far as a bounded search finds them.
 */
import type { OutputSource } from 'svc-api';
import { outpointOf } from 'svc-ledger';
import { type ChainReader, PAGE_LIMITS } from 'svc-storage';
import type { Static } from 'typebox';
import type { RoutePorts } from '../routes/handler.ts';

export interface SpentOutput {
  readonly address: string;
  readonly amount: string;
  readonly source?: Static<typeof OutputSource>;
}

const PAGES_MAX = 8;

/** The outputs found, by `transaction id:output index`. */
export async function spentOutputs(
  { services, addresses }: RoutePorts,
  reader: ChainReader,
  id: string,
  executedHeight: number | undefined,
): Promise<ReadonlyMap<string, SpentOutput>> {
  const spent = new Map<string, SpentOutput>();
  const pooled = services.mempool.get(id);
  if (pooled !== undefined) {
    pooled.transaction.inputs.forEach(({ transactionId, outputIndex }, index) => {
      const output = pooled.spent[index];
      if (output === undefined) return;
      const address = addresses.text(output.address);
      spent.set(`${transactionId}:${outputIndex}`, { address, amount: String(output.amount) });
    });
    return spent;
  }
  if (executedHeight === undefined) return spent;
  let after: number | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const limit = PAGE_LIMITS.cutChanges;
    const { rows, next } = await reader.cutChanges(executedHeight, { after, limit });
    for (const { entry } of rows) {
      if (entry.kind !== 'spent' || entry.transactionId !== id) continue;
      const { transactionId, outputIndex } = outpointOf(entry.outpoint);
      const { amount, source } = entry;
      const address = addresses.text(entry.address);
      spent.set(`${transactionId}:${outputIndex}`, { address, amount: String(amount), source });
    }
    if (next === null) break;
    after = next;
  }
  return spent;
}

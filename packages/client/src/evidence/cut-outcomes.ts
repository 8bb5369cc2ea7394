/**
 * All outcomes of a cut as a node lists them, and the root that a signed header commits to. Whoever reads them compares.
 */
import { fromHex, toHex } from 'svc-wasm';
import { LABELS, Writer } from 'svc-wasm/base';
import { hashLabel } from 'svc-wasm/protocol';
import type { Client } from '../client.ts';
import type { AnswerOf } from '../routes/route-types.ts';

/** One line of the outcomes of a cut. */
export type CutOutcome = AnswerOf<'cutTransactions'>['transactions'][number];

/** In the order of their codes, from 1. `docs/protocol.md` 9.6. */
const OUTCOMES: readonly CutOutcome['outcome'][] = [
  'finalized',
  'skipped',
  'expired',
  'not_yet_valid',
  'conflict',
  'unknown_input',
  'invalid',
  'no_effect',
];
/** A full cut has 4,352 payments, and a page 64 of them. */
const PAGES_MAX = 256;

/** The pages of a cut; undefined if they do not end. */
export async function readOutcomePages(
  client: Pick<Client, 'cutTransactions'>,
  height: number,
): Promise<readonly (readonly CutOutcome[])[] | undefined> {
  const pages: CutOutcome[][] = [];
  let cursor: string | undefined;
  while (pages.length < PAGES_MAX) {
    const next = cursor === undefined ? {} : { cursor };
    const page = await client.cutTransactions({ height, ...next });
    pages.push(page.transactions);
    cursor = page.next_cursor;
    if (cursor === undefined) return pages;
  }
  return undefined;
}

/** The root that the header of a cut with these outcomes has. */
export function outcomeRoot(outcomes: readonly CutOutcome[]): string {
  const writer = new Writer().varint(outcomes.length);
  for (const { transaction_id, outcome, fee } of outcomes) {
    writer
      .raw(fromHex(transaction_id))
      .u8(OUTCOMES.indexOf(outcome) + 1)
      .u64(BigInt(fee));
  }
  return toHex(hashLabel(LABELS.outcome, writer.finish()));
}

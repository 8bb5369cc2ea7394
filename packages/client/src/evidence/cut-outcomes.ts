/**
 * All outcomes of a cut as a node lists them, and the root that a signed header commits to. The caller compares them.
 */
import { decodeNetworkAddress, toHex } from 'svc-wasm/base';
import { encodeOutcomeLeaves, type OutcomeLeaf, rootOfList } from 'svc-wasm/protocol';
import type { Client } from '../client.ts';
import type { AnswerOf } from '../routes/route-types.ts';

/** One line of the outcomes of a cut. */
export type CutOutcome = AnswerOf<'cutTransactions'>['transactions'][number];

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
  return toHex(rootOfList('outcome', encodeOutcomeLeaves(outcomes.map(leafOf))));
}

function leafOf({ fee, note_hash, outcome, payers, transaction_id }: CutOutcome): OutcomeLeaf {
  return {
    transactionId: transaction_id,
    kind: outcome,
    fee: BigInt(fee),
    noteHash: note_hash ?? '',
    payers: payers.map((address) => toHex(decodeNetworkAddress(address).bytes)),
  };
}

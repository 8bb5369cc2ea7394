/**
 * Proves what a transaction is and what became of it: its bytes hash to its id, and the list of all outcomes of the cut
 * hashes to the outcome root that validators signed.
 */
import { fromHex, inspectTransaction, type TransactionInspection, toHex } from 'svc-wasm';
import { LABELS, Writer } from 'svc-wasm/base';
import { hashLabel } from 'svc-wasm/protocol';
import type { AnswerOf } from '../../routes/route-types.ts';
import type { CheckContext } from '../check-context.ts';
import type { ProofResult } from '../claims.ts';
import { Contradiction, Unprovable } from '../verdicts.ts';
import { certified } from './certified-head.ts';

type Outcome = AnswerOf<'cutTransactions'>['transactions'][number];

/** In the order of their codes, from 1. `docs/protocol.md` 9.6. */
const OUTCOMES: readonly Outcome['outcome'][] = [
  'finalized',
  'skipped',
  'expired',
  'not_yet_valid',
  'conflict',
  'unknown_input',
  'invalid',
  'no_effect',
];
/** A full cut has 4,352 payments; no cut has more outcomes than so many pages. */
const PAGES_MAX = 64;

export async function checkTransaction(context: CheckContext, id: string): Promise<ProofResult> {
  const { client, trust, step } = context;
  const head = await step('The node names its head', async () => {
    const found = await trust.head();
    return [found, `cut ${found.cut.height}`];
  });
  const shown = await client.transaction({ id });
  await step('The bytes hash to the id', async () => {
    const manifest = await client.transactionsManifest();
    compareBody(shown, id, JSON.stringify(manifest));
    return [
      undefined,
      `${shown.wire_hex.length / 2} bytes; outputs, window and mass are those in the bytes`,
    ];
  });
  const { finalized_cut, lifecycle, failure } = shown.status;
  const executed = finalized_cut?.height;
  if (executed === undefined) {
    throw new Unprovable(
      lifecycle === 'failed'
        ? `it failed (${failure}); no cut tells of that`
        : 'no cut has executed it yet',
    );
  }
  const { cut, header } = await certified(context, head, executed);
  const outcomes = await step(`All outcomes of cut ${executed}`, async () => {
    const found = await readOutcomes(context, executed);
    const root = outcomeRoot(found);
    if (root !== toHex(header.outcomeRoot)) {
      throw new Contradiction(
        'the outcomes that the node lists do not hash to the signed outcome root',
      );
    }
    return [found, `${found.length} outcomes hash to ${root.slice(0, 12)}…`];
  });
  const own = outcomes.filter(({ transaction_id }) => transaction_id === id);
  await step('This transaction is among them', async () => {
    const said = lifecycle === 'finalized';
    const isFinal = own.some(({ outcome }) => outcome === 'finalized');
    if (own.length === 0) throw new Contradiction(`cut ${executed} did not execute it`);
    if (said !== isFinal) {
      throw new Contradiction(`the node says ${lifecycle}, signed is ${own[0]?.outcome}`);
    }
    const fee = own.find(({ outcome }) => outcome === 'finalized')?.fee;
    if (fee !== undefined && shown.fee !== null && fee !== shown.fee) {
      throw new Contradiction(`the node says a fee of ${shown.fee} atoms, signed is ${fee}`);
    }
    return [undefined, `${own[0]?.outcome}, fee ${own[0]?.fee} atoms`];
  });
  return {
    verdict: 'checked',
    height: Number(cut.height),
    facts: { outcome: own[0]?.outcome ?? '', fee: own[0]?.fee ?? '' },
  };
}

function compareBody(shown: AnswerOf<'transaction'>, id: string, manifest: string): void {
  const inspected = JSON.parse(
    inspectTransaction(fromHex(shown.wire_hex), manifest),
  ) as TransactionInspection;
  if (inspected.transaction_id !== id) {
    throw new Contradiction(
      `the bytes are those of transaction ${inspected.transaction_id.slice(0, 12)}…`,
    );
  }
  const said = shown.outputs.map(({ address, amount }) => `${address} ${amount}`);
  const real = inspected.outputs.map(({ address, amount }) => `${address} ${amount}`);
  if (said.join() !== real.join())
    throw new Contradiction('the outputs shown are not those in the bytes');
  const spent = shown.inputs.map(
    ({ outpoint }) => `${outpoint.transaction_id}:${outpoint.output_index}`,
  );
  const inputs = inspected.inputs.map((each) => `${each.transaction_id}:${each.output_index}`);
  if (spent.join() !== inputs.join())
    throw new Contradiction('the inputs shown are not those in the bytes');
  const figures: readonly (readonly [string, string, string])[] = [
    ['first height', shown.valid_from_height, inspected.valid_from_height],
    ['last height', shown.valid_until_height, inspected.valid_until_height],
    ['mass', shown.mass, inspected.mass],
    ['payload', shown.payload_hex, inspected.payload_hex],
  ];
  for (const [name, given, found] of figures) {
    if (given !== found)
      throw new Contradiction(`${name}: the node says ${given}, in the bytes is ${found}`);
  }
}

async function readOutcomes({ client }: CheckContext, height: number): Promise<readonly Outcome[]> {
  const found: Outcome[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await client.cutTransactions({
      height,
      ...(cursor === undefined ? {} : { cursor }),
    });
    found.push(...page.transactions);
    cursor = page.next_cursor;
    if (cursor === undefined) return found;
  }
  throw new Unprovable(`cut ${height} has more outcomes than are read here`);
}

export function outcomeRoot(outcomes: readonly Outcome[]): string {
  const writer = new Writer().varint(outcomes.length);
  for (const { transaction_id, outcome, fee } of outcomes) {
    writer
      .raw(fromHex(transaction_id))
      .u8(OUTCOMES.indexOf(outcome) + 1)
      .u64(BigInt(fee));
  }
  return toHex(hashLabel(LABELS.outcome, writer.finish()));
}

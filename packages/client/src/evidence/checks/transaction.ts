/**
 * Proves what a transaction is and what became of it: its bytes hash to its id, and its line among the outcomes of the cut
 * leads to the outcome root that validators signed.
 */
import { fromHex, inspectTransaction, type TransactionInspection } from 'svc-wasm';
import type { AnswerOf } from '../../routes/route-types.ts';
import type { CheckContext } from '../check-context.ts';
import type { ProofResult } from '../claims.ts';
import { Contradiction, Unprovable } from '../verdicts.ts';
import { certified } from './certified-head.ts';
import { provenOutcome } from './outcome.ts';

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
  const { cut } = await certified(context, head, executed);
  const { outcome, fee } = await provenOutcome(context, head, cut, id);
  await step('The node’s answer agrees with the proof', async () => {
    if ((lifecycle === 'finalized') !== (outcome === 'finalized'))
      throw new Contradiction(`the node says ${lifecycle}, signed is ${outcome}`);
    if (outcome === 'finalized' && shown.fee !== null && String(fee) !== shown.fee)
      throw new Contradiction(`the node says a fee of ${shown.fee} atoms, signed is ${fee}`);
    return [undefined, 'outcome and fee are the proven ones'];
  });
  return {
    verdict: 'checked',
    height: Number(cut.height),
    facts: { outcome, fee: String(fee) },
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

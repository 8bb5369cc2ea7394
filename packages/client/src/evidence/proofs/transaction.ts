/**
 * Proves what a transaction is and what became of it: its body hashes to its id, and its entry among the outcomes of the cut
 * leads to the outcome root that validators signed.
 */
import {
  type BodyInspection,
  fromHex,
  inspectTransaction,
  inspectTransactionBody,
  type TransactionInspection,
  toHex,
} from 'svc-wasm';
import { decodeTransaction, parseManifest } from 'svc-wasm/protocol';
import type { AnswerOf } from '../../routes/route-types.ts';
import type { Claim } from '../claims.ts';
import { Contradiction, Unprovable } from '../verdicts.ts';
import { type ClaimKind, coins } from './kind.ts';
import { outcomeLine, provenOutcome, readOutcome } from './payments.ts';

type TransactionClaim = Extract<Claim, { kind: 'transaction' }>;
type Shown = AnswerOf<'transaction'>;

interface Executed {
  readonly outcome: string;
  readonly fee: bigint;
}

export const TRANSACTION: ClaimKind<TransactionClaim, Executed> = {
  read: async (context, { id }) => {
    const { client } = context;
    const shown = await client.transaction({ id });
    const manifest = JSON.stringify(await client.transactionsManifest());
    compareBody(shown, id, manifest);
    const height = executedHeight(shown);
    const body = toHex(decodeTransaction(fromHex(shown.wire_hex), parseManifest(manifest)).body);
    const outcome = await readOutcome(context, height, id);
    return {
      height,
      parts: { body, manifest, outcome },
      compare: (executed) => compareStatus(shown, executed),
    };
  },
  check: ({ id }, proof, chain) => {
    const manifest = proof.part('manifest');
    const inspected = JSON.parse(
      inspectTransactionBody(fromHex(proof.part('body')), manifest),
    ) as BodyInspection;
    if (inspected.transaction_id !== id)
      throw new Contradiction(`the bytes are those of ${inspected.transaction_id.slice(0, 12)}…`);
    const executed = provenOutcome(id, proof, chain);
    const { outcome, fee } = executed;
    const bytes = 'the bytes of the transaction, which hash to its id';
    return {
      value: executed,
      facts: { outcome, fee: String(fee) },
      lines: [
        outcomeLine(id, proof.height, outcome),
        ...inspected.outputs.map(({ address, amount }, at) => ({
          says: `Its output ${at} is ${coins(amount)} to ${address}.`,
          restsOn: bytes,
        })),
      ],
    };
  },
};

function executedHeight({ status: { finalized_cut, lifecycle, failure } }: Shown): number {
  if (finalized_cut !== null && finalized_cut !== undefined) return finalized_cut.height;
  throw new Unprovable(
    lifecycle === 'failed'
      ? `it failed (${failure}); no cut tells of that`
      : 'no cut has executed it yet',
  );
}

function compareStatus({ status: { lifecycle }, fee: shown }: Shown, executed: Executed): string {
  const { outcome, fee } = executed;
  if ((lifecycle === 'finalized') !== (outcome === 'finalized'))
    throw new Contradiction(`the node says ${lifecycle}, signed is ${outcome}`);
  if (outcome === 'finalized' && shown !== null && String(fee) !== shown)
    throw new Contradiction(`the node says a fee of ${shown} atoms, signed is ${fee}`);
  return 'inputs, outputs, window, mass, outcome and fee';
}

function compareBody(shown: Shown, id: string, manifest: string): void {
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

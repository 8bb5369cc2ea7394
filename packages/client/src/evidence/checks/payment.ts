/**
 * Proves a payment from what its cut commits to, without the bytes of the transaction: payee and amount by the outputs
 * that came, payers and note by the outcome, the time by the header.
 */
import { checkCutChanges, fromHex, toHex } from 'svc-wasm';
import { LABELS } from 'svc-wasm/base';
import { hashLabel } from 'svc-wasm/protocol';
import type { CheckContext } from '../check-context.ts';
import type { Claim, ProofResult } from '../claims.ts';
import { Contradiction, Unprovable } from '../verdicts.ts';
import { certified } from './certified-head.ts';
import { provenOutcome } from './outcome.ts';

type PaymentClaim = Extract<Claim, { kind: 'payment' }>;

export async function checkPayment(
  context: CheckContext,
  { transactionId, to, amount }: PaymentClaim,
): Promise<ProofResult> {
  const { client, trust, step } = context;
  const head = await step('The node names its head', async () => {
    const found = await trust.head();
    return [found, `cut ${found.cut.height}`];
  });
  const height = await step('The node names the cut of the payment', async () => {
    const { finalized_cut } = await client.transactionStatus({ id: transactionId });
    if (finalized_cut === null || finalized_cut === undefined)
      throw new Unprovable('no cut has executed it yet');
    return [finalized_cut.height, `cut ${finalized_cut.height}`];
  });
  const { cut, header } = await certified(context, head, height);
  const outcome = await provenOutcome(context, head, cut, transactionId);
  if (outcome.outcome !== 'finalized')
    throw new Contradiction(`the transaction was not executed: ${outcome.outcome}`);
  await step('Outputs that came to the payee', async () => {
    const { proof_hex } = await client.proofsChanges({ height, addresses: [to] });
    const changes = checkCutChanges(fromHex(proof_hex), cut, [to]).get(to) ?? [];
    const received = changes
      .filter((change) => change.kind === 'received' && change.transactionId === transactionId)
      .reduce((sum, change) => sum + change.amount, 0n);
    if (String(received) !== amount)
      throw new Contradiction(`the payment was of ${received} atoms, claimed are ${amount}`);
    return [undefined, `${received} atoms`];
  });
  const note =
    outcome.noteHash === '' ? '' : await noteOf(context, transactionId, outcome.noteHash);
  return {
    verdict: 'checked',
    height,
    facts: {
      to,
      amount,
      from: outcome.payers.join(' '),
      fee: String(outcome.fee),
      note_hash: outcome.noteHash,
      ...(note === undefined ? {} : { note_hex: note }),
      time_millis: String(header.time),
    },
  };
}

/** The payload of the transaction, from a node that still has its bytes; undefined without one. */
function noteOf(
  { client, step }: CheckContext,
  id: string,
  noteHash: string,
): Promise<string | undefined> {
  return step('The note hashes to what was signed', async () => {
    const shown = await client.transaction({ id }).catch(() => undefined);
    if (shown === undefined) return [undefined, 'this node no longer has the note, only its hash'];
    if (toHex(hashLabel(LABELS.note, fromHex(shown.payload_hex))) !== noteHash)
      throw new Contradiction('the note that the node shows is not the one that was signed');
    return [shown.payload_hex, `${shown.payload_hex.length / 2} bytes`];
  });
}

/**
 * What became of a transaction in a certified cut: its line in the list of outcomes, and the proof that leads from it to the
 * outcome root that validators signed.
 */
import { type CertifiedCut, checkCutOutcomes, fromHex, type ProvenOutcome } from 'svc-wasm';
import type { CheckContext } from '../check-context.ts';
import { Contradiction } from '../verdicts.ts';
import type { Head } from './certified-head.ts';

/** A cut may name a transaction more than once; the line that says most about it is the one that executed it. */
export function provenOutcome(
  { client, step }: CheckContext,
  head: Head,
  cut: CertifiedCut,
  id: string,
): Promise<ProvenOutcome> {
  const height = Number(cut.height);
  return step(`Outcome in cut ${height}`, async () => {
    const { proof_hex } = await client.proofsOutcomes({ height, transaction_ids: [id] });
    const proof = fromHex(proof_hex);
    const lines = checkCutOutcomes(proof, cut, head.network).filter(
      ({ transactionId }) => transactionId === id,
    );
    const line = lines.find(({ outcome }) => outcome === 'finalized') ?? lines[0];
    if (line === undefined) throw new Contradiction('the proof is about another transaction');
    return [line, `${line.outcome}, fee ${line.fee} atoms; ${proof.length} bytes of proof`];
  });
}

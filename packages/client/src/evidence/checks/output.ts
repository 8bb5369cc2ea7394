/**
 * Proves that an output exists and is unspent.
 */
import { checkUtxoProof, fromHex } from 'svc-wasm';
import type { CheckContext } from '../check-context.ts';
import type { Claim, ProofResult } from '../claims.ts';
import { Contradiction, Unprovable } from '../verdicts.ts';
import { certified } from './certified-head.ts';

export async function checkOutput(
  context: CheckContext,
  {
    transactionId,
    outputIndex,
  }: Pick<Extract<Claim, { kind: 'output' }>, 'transactionId' | 'outputIndex'>,
): Promise<ProofResult> {
  const { client, trust, step } = context;
  const head = await step('The node names its head', async () => {
    const found = await trust.head();
    return [found, `cut ${found.cut.height}`];
  });
  const said = await step('The node gives a proof', async () => {
    const outpoints = [{ transaction_id: transactionId, output_index: outputIndex }];
    const answer = await client.proofsUtxos({ outpoints });
    const [proof] = answer.proofs;
    if (proof === undefined || proof.proof_hex === null)
      throw new Unprovable('the output is not unspent; only unspent ones are proven');
    const { height } = answer.cut;
    return [{ height, hex: proof.proof_hex }, `against cut ${height}`];
  });
  if (said.height < (trust.document?.height ?? 0)) {
    throw new Contradiction(
      `the proof is of cut ${said.height}, before what this reader has certified`,
    );
  }
  const { cut } = await certified(context, head, said.height);
  const proven = await step('The proof leads to the signed state root', async () => {
    const found = checkUtxoProof(fromHex(said.hex), cut, transactionId, outputIndex, head.network);
    return [found, `${found.amount} atoms at ${found.address}`];
  });
  return {
    verdict: 'checked',
    height: said.height,
    facts: { address: proven.address, amount: String(proven.amount) },
  };
}

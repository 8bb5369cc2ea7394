/**
 * Checks that the node signs what it answers: with the key of the identity that the reader has pinned, and over the nonce
 * of this very request. It proves who said something, not that it is true.
 */
import { serviceIdentityForPublicKey, verifyServiceResponse } from 'svc-wasm';
import { fromHex, toHex } from 'svc-wasm/base';
import type { CheckContext } from '../check-context.ts';
import type { Claim, ProofResult } from '../claims.ts';
import { Contradiction, Unprovable } from '../verdicts.ts';

export async function checkAnswer(
  { client, step, askSigned }: CheckContext,
  claim: Extract<Claim, { kind: 'answer' }>,
): Promise<ProofResult> {
  const pinned = await step('The identity of the node', async () => {
    const { public_key, identity } = await client.nodeIdentity();
    if (serviceIdentityForPublicKey(fromHex(public_key)) !== identity) {
      throw new Contradiction('the public key of the node does not hash to its identity');
    }
    if (claim.identity !== undefined && claim.identity !== identity) {
      throw new Contradiction(
        `the node is ${identity.slice(0, 12)}…, pinned is ${claim.identity.slice(0, 12)}…`,
      );
    }
    const isFirst = claim.identity === undefined ? 'pinned now, on its word' : 'the pinned one';
    return [{ public_key, identity }, `${identity.slice(0, 12)}…, ${isFirst}`];
  });
  const { chain_id } = await client.chainHead();
  const height = await step('Its signature under the answer', async () => {
    const { status, body, headers, nonce } = await askSigned(claim.target);
    if (Object.values(headers).includes(null)) throw new Unprovable('the answer is not signed');
    const bytes = new TextEncoder().encode(body);
    const verified = verifyServiceResponse(
      JSON.stringify({
        method: 'GET',
        target: claim.target,
        request_body_hex: '',
        status: String(status),
        response_body_hex: toHex(bytes),
        headers,
        public_key_hex: pinned.public_key,
        identity: pinned.identity,
        nonce,
        chain_id,
      }),
    );
    const { finalized_height } = JSON.parse(verified) as { finalized_height: string };
    return [Number(finalized_height), `one ML-DSA-65 signature over ${bytes.length} bytes holds`];
  });
  return { verdict: 'signed', height, facts: { identity: pinned.identity } };
}

/**
 * Checks that the node signs what it answers: with the key of the identity that the reader has pinned, and over the nonce
 * of this very request. It proves the author of an answer, not that it is true.
 */
import { serviceIdentityForPublicKey, verifyServiceResponse } from 'svc-wasm';
import { fromHex, toHex } from 'svc-wasm/base';
import type { Claim, Parts } from '../claims.ts';
import { Contradiction, Unprovable } from '../verdicts.ts';
import { cutName, type GivenProof, type Proven, type ReadContext } from './kind.ts';

export type AnswerClaim = Extract<Claim, { kind: 'answer' }>;

export async function readAnswer(
  { client, head, askSigned }: ReadContext,
  { target }: AnswerClaim,
): Promise<Parts> {
  const { public_key } = await client.nodeIdentity();
  const { status, body, headers, nonce } = await askSigned(target);
  if (Object.values(headers).includes(null)) throw new Unprovable('the answer is not signed');
  return {
    chain_id: head.chain_id,
    public_key,
    status: String(status),
    body,
    nonce,
    headers: JSON.stringify(headers),
  };
}

/** The height is the one that the node named under its signature. */
export function checkAnswer(
  { target, identity: pinned }: AnswerClaim,
  { part }: GivenProof,
): Proven<number> {
  const publicKey = part('public_key');
  const identity = serviceIdentityForPublicKey(fromHex(publicKey));
  if (pinned !== undefined && pinned !== identity) {
    throw new Contradiction(
      `the node is ${identity.slice(0, 12)}…, pinned is ${pinned.slice(0, 12)}…`,
    );
  }
  const body = new TextEncoder().encode(part('body'));
  const verified = verifyServiceResponse(
    JSON.stringify({
      method: 'GET',
      target,
      request_body_hex: '',
      status: part('status'),
      response_body_hex: toHex(body),
      headers: JSON.parse(part('headers')) as object,
      public_key_hex: publicKey,
      identity,
      nonce: part('nonce'),
      chain_id: part('chain_id'),
    }),
  );
  const { finalized_height } = JSON.parse(verified) as { finalized_height: string };
  const height = Number(finalized_height);
  return {
    value: height,
    facts: { identity },
    lines: [
      {
        says: `Node ${identity} answered ${target} at ${cutName(height)} with these ${body.length} bytes.`,
        restsOn: 'its signature under the answer; whether the answer is true is not proven',
      },
    ],
  };
}

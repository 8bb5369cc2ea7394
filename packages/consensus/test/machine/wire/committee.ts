/**
 * Validators with real keys: what a height needs to be decided in real bytes.
 */
import { init } from 'svc-wasm';
import { compareBytes, contextBytes } from 'svc-wasm/base';
import { mlDsa65, sha384 } from 'svc-wasm/kernel';
import { decodeValidatorSet, encodeValidatorSet, type ValidatorSet } from 'svc-wasm/protocol';
import type { UnsignedMessage, WireContext } from '../../../src/machine/index.ts';
import { signatureContext, signedBytesOf } from '../../../src/machine/index.ts';

await init();

const encoder = new TextEncoder();

export const CHAIN_ID = sha384(encoder.encode('chain of the wire tests'));

export interface Member {
  readonly id: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
  readonly stake: bigint;
}

export interface Committee {
  readonly members: readonly Member[];
  readonly encodedSet: Uint8Array;
  readonly set: ValidatorSet;
  readonly wire: WireContext;
}

/** The same keys for the same name; stakes are by index in the set. */
export function makeCommittee(name: string, stakes: readonly bigint[]): Committee {
  const keys = stakes
    .map((_, index) => {
      const seed = sha384(encoder.encode(`${name} ${index}`));
      return { id: seed, ...mlDsa65.keygen(seed.slice(0, 32)) };
    })
    .sort((a, b) => compareBytes(a.id, b.id));
  const members = keys.map((key, index) => ({ ...key, stake: stakes[index] as bigint }));
  const encodedSet = encodeValidatorSet(members);
  const set = decodeValidatorSet(encodedSet);
  return { members, encodedSet, set, wire: { chainId: CHAIN_ID, setIdAt: () => set.id } };
}

/** Signs whatever it is given: the signer of an equivocator. */
export function signAs<M extends UnsignedMessage>(
  committee: Committee,
  message: M,
): M & { readonly signature: Uint8Array } {
  const member = committee.members[message.validatorIndex] as Member;
  const context = contextBytes(signatureContext(message.kind));
  const bytes = signedBytesOf(committee.wire, message);
  return { ...message, signature: mlDsa65.sign(member.secretKey, bytes, { context }) };
}

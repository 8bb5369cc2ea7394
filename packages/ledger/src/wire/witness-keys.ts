/**
 * Which keys a decoded witness shows, and to which it refers; `docs/protocol.md` 4.3.
 */
import { keyHash } from 'svc-wasm/protocol';
import type { Address, Identifier } from '../identifiers.ts';
import { toHex } from '../protocol.ts';
import type { PublicKey } from '../records.ts';

const PROFILE = { inline: 0, referenced: 1, multisigInline: 2, multisigReferenced: 3 } as const;
const PUBLIC_KEY_BYTES = 1_952;
const SIGNATURE_BYTES = 3_309;
const HASH_BYTES = 48;
const MEMBERS_AT = 3;

/**
 * Public keys in the witness. Where the witness is known to hold for an address, a single key is the one that the
 * address names: it is not hashed again, and copied only on request.
 */
export function shownKeys(witness: Uint8Array, holdsFor?: Address): PublicKey[] {
  if (witness[0] === PROFILE.inline)
    return [holdsFor === undefined ? keyAt(witness, 1) : namedKey(witness, holdsFor)];
  if (witness[0] !== PROFILE.multisigInline) return [];
  const members = witness[2] as number;
  const first = MEMBERS_AT + members * HASH_BYTES + 1;
  return signers(witness).map((_, index) => {
    return keyAt(witness, first + index * (PUBLIC_KEY_BYTES + SIGNATURE_BYTES));
  });
}

function namedKey(witness: Uint8Array, address: Address): PublicKey {
  return {
    keyHash: keyHashOf(address),
    get publicKey() {
      return witness.slice(1, 1 + PUBLIC_KEY_BYTES);
    },
  };
}

/** The hash in the address of a single key, after its type. */
function keyHashOf(address: Address): Identifier {
  return address.slice(2);
}

function keyAt(witness: Uint8Array, at: number): PublicKey {
  const publicKey = witness.slice(at, at + PUBLIC_KEY_BYTES);
  return { publicKey, keyHash: toHex(keyHash(publicKey)) };
}

/** Hashes of registered keys that the witness needs in order to hold for an address. */
export function referencedKeys(witness: Uint8Array, address: Address): Identifier[] {
  if (witness[0] === PROFILE.referenced) return [keyHashOf(address)];
  if (witness[0] !== PROFILE.multisigReferenced) return [];
  return signers(witness).map((member) => {
    const at = MEMBERS_AT + member * HASH_BYTES;
    return toHex(witness.subarray(at, at + HASH_BYTES));
  });
}

/** The members of a multisig witness that signed, in order. */
function signers(witness: Uint8Array): number[] {
  const members = witness[2] as number;
  const bitmap = witness[MEMBERS_AT + members * HASH_BYTES] as number;
  return Array.from({ length: members }, (_, member) => member).filter(
    (member) => ((bitmap >> member) & 1) === 1,
  );
}

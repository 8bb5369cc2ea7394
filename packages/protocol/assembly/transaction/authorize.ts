/**
 * Matches a witness with the address it has to satisfy; `docs/protocol.md` 4.3. Checks everything
 * but the signatures themselves, which it adds to the list.
 */
import { equalBytes } from '../codec/compare';
import { hashLabel } from '../codec/label';
import { KEY_MISMATCH, KEY_NOT_REGISTERED, OK, POLICY_MISMATCH, PROFILE_MISMATCH } from '../errors';
import { addressHash, addressType } from './address';
import { keyHash } from './key-hash';
import { ADDRESS_KEY, ADDRESS_MULTISIG, ID_BYTES, PUBLIC_KEY_BYTES } from './layout';
import { registeredKey } from './registered-keys';
import { addSignature } from './signature-list';
import { isMultisig, multisigHeadBytes, showsKeys, signerBytes } from './witness';

const HASH: usize = memory.data(48, 16);

/** `signer` is where the signer's key, if shown, and signature are. */
function addSigner(shown: bool, signer: usize, hash: usize, item: i32): i32 {
  if (shown) {
    keyHash(signer, HASH);
    if (!equalBytes(HASH, hash, ID_BYTES)) return KEY_MISMATCH;
    addSignature(signer, signer + PUBLIC_KEY_BYTES, item);
    return OK;
  }
  const publicKey = registeredKey(hash);
  if (publicKey == 0) return KEY_NOT_REGISTERED;
  addSignature(publicKey, signer, item);
  return OK;
}

function authorizeMembers(witness: usize, profile: i32, address: usize, item: i32): i32 {
  const policy = witness + 1;
  const members = <i32>load<u8>(policy, 1);
  hashLabel('SVC_MULTISIG_V1', policy, 2 + members * ID_BYTES, HASH);
  if (!equalBytes(HASH, addressHash(address), ID_BYTES)) return POLICY_MISMATCH;
  const head = multisigHeadBytes(members);
  const signers = <i32>load<u8>(witness + head - 1);
  let signer = witness + head;
  for (let member = 0; member < members; member++) {
    if (((signers >> member) & 1) == 0) continue;
    const error = addSigner(showsKeys(profile), signer, policy + 2 + member * ID_BYTES, item);
    if (error != OK) return error;
    signer += signerBytes(profile);
  }
  return OK;
}

/** `witness` points to a decoded witness, `item` is its place. */
export function authorize(witness: usize, address: usize, item: i32): i32 {
  const profile = <i32>load<u8>(witness);
  const needed = isMultisig(profile) ? ADDRESS_MULTISIG : ADDRESS_KEY;
  if (addressType(address) != needed) return PROFILE_MISMATCH;
  if (isMultisig(profile)) return authorizeMembers(witness, profile, address, item);
  return addSigner(showsKeys(profile), witness + 1, addressHash(address), item);
}

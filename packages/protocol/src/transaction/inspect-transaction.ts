/**
 * Shows what a transaction says, witnesses included. Nothing is verified but form and binding.
 */
import {
  ID_BYTES,
  PROFILE_INLINE,
  PROFILE_MULTISIG_INLINE,
  PROFILE_REFERENCED,
  PROFILE_REPEATED,
  PUBLIC_KEY_BYTES,
  SIGNATURE_BYTES,
  TABLE_POSSESSION,
} from '../../assembly/transaction/layout.ts';
import { toHex } from '../base/bytes.ts';
import { parseManifest } from '../manifest/manifest.ts';
import { decodeTransaction } from './decode.ts';
import { showBody } from './inspect-body.ts';
import { showQuote } from './quote.ts';
import type { SignerInspection, TransactionInspection, WitnessInspection } from './request.ts';

function hexAt(bytes: Uint8Array, at: number, length: number): string {
  return toHex(bytes.subarray(at, at + length));
}

function showSigners(witness: Uint8Array, at: number, shown: boolean): SignerInspection[] {
  const signers: SignerInspection[] = [];
  const bitmap = witness[at++] as number;
  for (let member = 0; bitmap >> member !== 0; member++) {
    if (((bitmap >> member) & 1) === 0) continue;
    const key = shown ? { public_key_hex: hexAt(witness, at, PUBLIC_KEY_BYTES) } : {};
    if (shown) at += PUBLIC_KEY_BYTES;
    const signature = hexAt(witness, at, SIGNATURE_BYTES);
    signers.push({ member: String(member), ...key, signature_hex: signature });
    at += SIGNATURE_BYTES;
  }
  return signers;
}

/** Shows a witness that the kernel has decoded. */
function showWitness(witness: Uint8Array): WitnessInspection {
  const profile = witness[0];
  if (profile === PROFILE_INLINE) {
    return {
      profile: 'inline',
      public_key_hex: hexAt(witness, 1, PUBLIC_KEY_BYTES),
      signature_hex: hexAt(witness, 1 + PUBLIC_KEY_BYTES, SIGNATURE_BYTES),
    };
  }
  if (profile === PROFILE_REFERENCED) {
    return { profile: 'referenced', signature_hex: hexAt(witness, 1, SIGNATURE_BYTES) };
  }
  if (profile === PROFILE_REPEATED) return { profile: 'repeated' };
  const members = witness[2] as number;
  const shown = profile === PROFILE_MULTISIG_INLINE;
  return {
    profile: shown ? 'multisig_inline' : 'multisig_referenced',
    threshold: String(witness[1]),
    member_key_hashes: Array.from({ length: members }, (_, i) =>
      hexAt(witness, 3 + i * ID_BYTES, ID_BYTES),
    ),
    signers: showSigners(witness, 3 + members * ID_BYTES, shown),
  };
}

export function inspectTransaction(wire: Uint8Array, manifestJson: string): string {
  const manifest = parseManifest(manifestJson);
  const table = decodeTransaction(wire, manifest);
  const possession = table.u32(TABLE_POSSESSION);
  const inspection: TransactionInspection = {
    ...showBody(table, manifest.network),
    ...showQuote(table),
    witnesses: table.witnesses.map(showWitness),
    ...(possession === 0
      ? {}
      : { possession_signature_hex: toHex(table.slice(possession, SIGNATURE_BYTES)) }),
  };
  return JSON.stringify(inspection);
}

/**
 * The manifest as the kernel reads it: the fixed block of `assembly/transaction/layout.ts`.
 */
import {
  MANIFEST_BYTES,
  MANIFEST_CHAIN_ID,
  MANIFEST_FEE_PER_MASS_MIN,
  MANIFEST_INPUTS_MAX,
  MANIFEST_MASS_PER_OUTPUT,
  MANIFEST_MASS_PER_SIGNATURE,
  MANIFEST_OUTPUTS_MAX,
  MANIFEST_PAYLOAD_BYTES_MAX,
  MANIFEST_PROTOCOL_VERSION,
  MANIFEST_RULES_ID,
  MANIFEST_TRANSACTION_BYTES_MAX,
  MANIFEST_VALIDITY_CUTS_MAX,
} from '../../assembly/transaction/layout.ts';
import type { Rules } from './rules.ts';
import { PROTOCOL_VERSION } from './rules.ts';

export function manifestBlock(chainId: Uint8Array, rulesId: Uint8Array, rules: Rules): Uint8Array {
  const block = new Uint8Array(MANIFEST_BYTES);
  const view = new DataView(block.buffer);
  block.set(chainId, MANIFEST_CHAIN_ID);
  block.set(rulesId, MANIFEST_RULES_ID);
  view.setUint32(MANIFEST_PROTOCOL_VERSION, PROTOCOL_VERSION, true);
  view.setUint32(MANIFEST_TRANSACTION_BYTES_MAX, Number(rules.max_transaction_bytes), true);
  view.setUint32(MANIFEST_INPUTS_MAX, Number(rules.max_inputs), true);
  view.setUint32(MANIFEST_OUTPUTS_MAX, Number(rules.max_outputs), true);
  view.setUint32(MANIFEST_PAYLOAD_BYTES_MAX, Number(rules.max_payload_bytes), true);
  view.setBigUint64(MANIFEST_VALIDITY_CUTS_MAX, rules.max_validity_cuts, true);
  view.setBigUint64(MANIFEST_MASS_PER_SIGNATURE, rules.mass_per_signature, true);
  view.setBigUint64(MANIFEST_MASS_PER_OUTPUT, rules.mass_per_output, true);
  view.setBigUint64(MANIFEST_FEE_PER_MASS_MIN, rules.min_fee_per_mass, true);
  return block;
}

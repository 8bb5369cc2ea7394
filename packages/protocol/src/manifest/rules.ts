/**
 * The rule constants that a manifest names, their bounds, and the id that commits them;
 * `docs/protocol.md` 2. Bounds keep every mass and fee far below 2^64 in the kernel.
 */
import {
  INPUTS_MAX,
  OUTPUTS_MAX,
  PAYLOAD_BYTES_MAX,
  TRANSACTION_BYTES_MAX,
} from '../../assembly/transaction/layout.ts';
import type { Range } from '../base/fields.ts';
import { LABELS } from '../base/labels.ts';
import type { Network } from '../base/networks.ts';
import { NETWORKS } from '../base/networks.ts';
import { Writer } from '../base/writer.ts';
import { hashLabel } from '../kernel/hash-label.ts';

export const PROTOCOL_VERSION = 1;

export interface Rules {
  readonly max_transaction_bytes: bigint;
  readonly max_inputs: bigint;
  readonly max_outputs: bigint;
  readonly max_payload_bytes: bigint;
  readonly max_validity_cuts: bigint;
  readonly mass_per_signature: bigint;
  readonly mass_per_output: bigint;
  readonly min_fee_per_mass: bigint;
}

const PRICE_MAX = 1_000_000n;

export function ruleRanges(network: Network): Readonly<Record<keyof Rules, Range>> {
  return {
    max_transaction_bytes: { min: 1n, max: BigInt(TRANSACTION_BYTES_MAX) },
    max_inputs: { min: 1n, max: BigInt(INPUTS_MAX) },
    max_outputs: { min: 1n, max: BigInt(OUTPUTS_MAX) },
    max_payload_bytes: { max: BigInt(PAYLOAD_BYTES_MAX) },
    max_validity_cuts: { min: 1n, max: NETWORKS[network].intervalCuts },
    mass_per_signature: { max: PRICE_MAX },
    mass_per_output: { max: PRICE_MAX },
    min_fee_per_mass: { max: PRICE_MAX },
  };
}

/** The rules of a network unless its genesis says otherwise. */
export function defaultRules(network: Network): Rules {
  return {
    max_transaction_bytes: BigInt(TRANSACTION_BYTES_MAX),
    max_inputs: BigInt(INPUTS_MAX),
    max_outputs: BigInt(OUTPUTS_MAX),
    max_payload_bytes: BigInt(PAYLOAD_BYTES_MAX),
    max_validity_cuts: NETWORKS[network].intervalCuts,
    mass_per_signature: 3000n,
    mass_per_output: 500n,
    min_fee_per_mass: 10n,
  };
}

export function rulesId(network: Network, rules: Rules): Uint8Array {
  const encoded = new Writer()
    .u8(NETWORKS[network].code)
    .u32(PROTOCOL_VERSION)
    .u32(Number(rules.max_transaction_bytes))
    .u32(Number(rules.max_inputs))
    .u32(Number(rules.max_outputs))
    .u32(Number(rules.max_payload_bytes))
    .u64(rules.max_validity_cuts)
    .u64(rules.mass_per_signature)
    .u64(rules.mass_per_output)
    .u64(rules.min_fee_per_mass)
    .finish();
  return hashLabel(LABELS.rules, encoded);
}

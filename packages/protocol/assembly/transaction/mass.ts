/**
 * Mass and minimum fee; `docs/protocol.md` 4.6. The host admits only manifests whose constants keep
 * both far below 2^64.
 */
import { MANIFEST_FEE_PER_MASS_MIN, MANIFEST_MASS_PER_OUTPUT, MANIFEST_MASS_PER_SIGNATURE, TABLE_MASS, TABLE_MINIMUM_FEE, TABLE_OUTPUT_COUNT, TABLE_SIGNATURES, TABLE_WIRE_BYTES } from './layout';

/** Fills mass and minimum fee from the counts in the table. */
export function weigh(manifest: usize, table: usize): void {
  const mass =
    <u64>load<u32>(table, TABLE_WIRE_BYTES) +
    load<u64>(manifest, MANIFEST_MASS_PER_SIGNATURE) * <u64>load<u32>(table, TABLE_SIGNATURES) +
    load<u64>(manifest, MANIFEST_MASS_PER_OUTPUT) * <u64>load<u32>(table, TABLE_OUTPUT_COUNT);
  store<u64>(table, mass, TABLE_MASS);
  store<u64>(table, mass * load<u64>(manifest, MANIFEST_FEE_PER_MASS_MIN), TABLE_MINIMUM_FEE);
}

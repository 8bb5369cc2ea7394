/**
 * Which seed the cache of a height has: it changes every 30 intervals and depends on the chain and
 * the count alone, so that the next dataset can be made ahead; `docs/protocol.md` 7.
 */
import { concatBytes, expectBytes } from '../base/bytes.ts';
import { U64_MAX } from '../base/fields.ts';
import { LABELS } from '../base/labels.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import { POW_PERIOD_INTERVALS, POW_SEED_BYTES } from './pow-parameters.ts';
import { sha384 } from './sha384.ts';

function expectU64(value: unknown, path: string, min: bigint): bigint {
  if (typeof value !== 'bigint') {
    throw new SvcError('bad_type', `expected a bigint, found a ${typeof value}`, { path });
  }
  if (value >= min && value <= U64_MAX) return value;
  throw new SvcError('out_of_range', `expected ${min} to ${U64_MAX}, found ${value}`, { path });
}

/** The period of an anchor height on a network with intervals of `intervalCuts`. */
export function powPeriod(height: bigint, intervalCuts: bigint): bigint {
  expectU64(height, 'height', 0n);
  return height / (BigInt(POW_PERIOD_INTERVALS) * expectU64(intervalCuts, 'intervalCuts', 1n));
}

/** The 32-byte seed of a period's cache. */
export function powSeed(chainId: Uint8Array, period: bigint): Uint8Array {
  const chain = expectBytes(chainId, 'chainId', ID_BYTES);
  const count = new Uint8Array(8);
  new DataView(count.buffer).setBigUint64(0, expectU64(period, 'period', 0n), true);
  const label = new TextEncoder().encode(LABELS.powSeed);
  return sha384(concatBytes(label, chain, count)).slice(0, POW_SEED_BYTES);
}

/**
 * Compares the finds of a card with the hash of the processor. A faulty card must cost its owner neither refused
 * shares nor a ban: wrong finds are counted and dropped.
 */
import { meetsTarget, pow, powInput } from 'svc-wasm/kernel';
import type { DeviceResult, DeviceSearch } from '../devices/device.ts';
import type { CardResult } from './card.ts';
import { COUNTER_AT_IN_NONCE, COUNTER_BYTES } from './midstate.ts';

const NONCE_BYTES = 24;

/** Keeps of a card's finds what the cache of their period confirms. */
export function confirmFinds(
  { key, header, target, count }: Pick<DeviceSearch, 'key' | 'header' | 'target' | 'count'>,
  { found, lost }: CardResult,
  cache: pow.PowCache,
): DeviceResult {
  const nonces: Uint8Array[] = [];
  let wrong = 0;
  for (const { counter, top } of found) {
    const tried = header.slice();
    const nonce = tried.subarray(header.length - NONCE_BYTES);
    new DataView(nonce.buffer, nonce.byteOffset + COUNTER_AT_IN_NONCE, COUNTER_BYTES).setBigUint64(
      0,
      counter,
      true,
    );
    const { result } = pow.light(cache, key.datasetBytes, powInput(tried));
    const isRight = new DataView(result.buffer, result.byteOffset).getBigUint64(0) === top;
    if (!isRight) wrong++;
    else if (meetsTarget(result, target)) nonces.push(nonce.slice());
  }
  return { done: count, nonces, wrong, lost };
}

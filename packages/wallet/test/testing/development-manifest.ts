/**
 * The manifest of a development chain with an invented chain id.
 */
import { createManifest } from 'svc-wasm/protocol';

export const CHAIN_ID = '5c'.repeat(48);

export function developmentManifest(rules: Parameters<typeof createManifest>[2] = {}): string {
  return createManifest('development', new Uint8Array(48).fill(0x5c), rules).json;
}

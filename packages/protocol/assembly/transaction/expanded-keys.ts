/**
 * A few expanded public keys, kept from one signature to the next. Inputs of one payer, or of one
 * multisig address, then pay for the expansion, three quarters of a check, once.
 */
import { equalBytes } from '../codec/compare';
import { mldsaExpand } from '../mldsa/expanded-key';
import { EXPANDED_KEY_BYTES } from '../mldsa/workspace';
import { PUBLIC_KEY_BYTES } from './layout';

const SLOTS: i32 = 4;
const SLOT_BYTES: i32 = EXPANDED_KEY_BYTES;
const EXPANSIONS: usize = memory.data(4 * (36 * 1024 + 64), 16);
const KEYS: usize = memory.data(4 * 1952, 16);

let filled: i32 = 0;
let next: i32 = 0;

/** The slot that holds the expansion of the key. */
export function expandedKey(publicKey: usize): usize {
  for (let i = 0; i < filled; i++) {
    if (equalBytes(KEYS + i * PUBLIC_KEY_BYTES, publicKey, PUBLIC_KEY_BYTES)) return EXPANSIONS + i * SLOT_BYTES;
  }
  const slot = EXPANSIONS + next * SLOT_BYTES;
  mldsaExpand(publicKey, slot);
  memory.copy(KEYS + next * PUBLIC_KEY_BYTES, publicKey, PUBLIC_KEY_BYTES);
  filled = max(filled, next + 1);
  next = (next + 1) % SLOTS;
  return slot;
}

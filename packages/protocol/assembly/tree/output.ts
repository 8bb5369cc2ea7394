/**
 * The value of an output in its tree, 109 bytes: `transaction id | output index u32 | address |
 * amount u64`; `docs/protocol.md` 9.1.
 */
import { AMOUNT_TOO_LARGE, BURN_NOT_ALLOWED, OK, UNKNOWN_ADDRESS_TYPE, ZERO_AMOUNT } from '../errors';
import { addressHalf, outpointHalf, PREFIX_BYTES } from './key';
import { leaf, SUM_MAX } from './subtree';

export const OUTPUT_BYTES: i32 = 109;
export const OUTPUTS_TREE: u32 = 1;
export const ADDRESS_AT: usize = 52;
export const AMOUNT_AT: usize = 101;

const BURN: u8 = 2;

/** An output of the state pays a key or a multisig policy; burnt amounts never enter it. */
export function checkOutput(value: usize): i32 {
  const error = checkOwner(value + ADDRESS_AT);
  return error != OK ? error : checkAmount(load<u64>(value + AMOUNT_AT));
}

export function checkOwner(address: usize): i32 {
  const type = load<u8>(address);
  if (type == BURN) return BURN_NOT_ALLOWED;
  return type > BURN ? UNKNOWN_ADDRESS_TYPE : OK;
}

export function checkAmount(amount: u64): i32 {
  if (amount == 0) return ZERO_AMOUNT;
  return amount > SUM_MAX ? AMOUNT_TOO_LARGE : OK;
}

export function outputKey(value: usize, out: usize): void {
  addressHalf(value + ADDRESS_AT, out);
  outpointHalf(value, out + PREFIX_BYTES);
}

export function outputLeaf(key: usize, value: usize, out: usize): i32 {
  return leaf(OUTPUTS_TREE, key, value, OUTPUT_BYTES, load<u64>(value + AMOUNT_AT), out);
}

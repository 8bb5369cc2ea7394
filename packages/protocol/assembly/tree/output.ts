/**
 * The value of an output in its tree, 109 bytes: `transaction id | output index u32 | address |
 * amount u64`; `docs/protocol.md` 9.1.
 */
import { BURN_NOT_ALLOWED, OK } from '../errors';
import { addressType, checkAddress } from '../transaction/address';
import { checkAmount } from '../transaction/amount';
import { ADDRESS_BURN } from '../transaction/layout';
import { addressHalf, outpointHalf, PREFIX_BYTES } from './key';
import { leaf } from './subtree';

export const OUTPUT_BYTES: i32 = 109;
export const OUTPUTS_TREE: u32 = 1;
export const ADDRESS_AT: usize = 52;
export const AMOUNT_AT: usize = 101;

/** An output of the state pays a key or a multisig policy; burnt amounts never enter it. */
export function checkOutput(value: usize): i32 {
  const error = checkOwner(value + ADDRESS_AT);
  return error != OK ? error : checkAmount(load<u64>(value + AMOUNT_AT));
}

/** Checks an address that owns outputs, which the burn address cannot. */
export function checkOwner(address: usize): i32 {
  const error = checkAddress(address);
  if (error != OK) return error;
  return addressType(address) == ADDRESS_BURN ? BURN_NOT_ALLOWED : OK;
}

export function outputKey(value: usize, out: usize): void {
  addressHalf(value + ADDRESS_AT, out);
  outpointHalf(value, out + PREFIX_BYTES);
}

export function outputLeaf(key: usize, value: usize, out: usize): i32 {
  return leaf(OUTPUTS_TREE, key, value, OUTPUT_BYTES, load<u64>(value + AMOUNT_AT), out);
}

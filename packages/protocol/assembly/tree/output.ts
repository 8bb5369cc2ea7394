/**
 * The value of an output in its tree, 109 bytes: `transaction id | output index u32 | address |
 * amount u64`; `docs/protocol.md` 9.1.
 */
import { OK } from '../errors';
import { checkAddress } from '../transaction/address';
import { checkAmount } from '../transaction/amount';
import { outputHalves } from './key';
import { leaf, leafPair } from './subtree';

export const OUTPUT_BYTES: i32 = 109;
export const OUTPUTS_TREE: u32 = 1;
export const ADDRESS_AT: usize = 52;
export const AMOUNT_AT: usize = 101;

/** What a transaction sends to the burn address never gets here, but a reward to it does. */
export function checkOutput(value: usize): i32 {
  const error = checkAddress(value + ADDRESS_AT);
  return error != OK ? error : checkAmount(load<u64>(value + AMOUNT_AT));
}

export function outputKey(value: usize, out: usize): void {
  outputHalves(value + ADDRESS_AT, value, out);
}

export function outputLeaf(key: usize, value: usize, out: usize): i32 {
  return leaf(OUTPUTS_TREE, key, value, OUTPUT_BYTES, load<u64>(value + AMOUNT_AT), out);
}

/** The leaves of two outputs that passed `checkOutput`. */
export function outputLeafPair(
  key: usize, value: usize, out: usize,
  otherKey: usize, otherValue: usize, otherOut: usize,
): void {
  leafPair(
    OUTPUTS_TREE, OUTPUT_BYTES,
    key, value, load<u64>(value + AMOUNT_AT), out,
    otherKey, otherValue, load<u64>(otherValue + AMOUNT_AT), otherOut,
  );
}

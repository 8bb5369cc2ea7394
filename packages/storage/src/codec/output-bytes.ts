/**
 * An output has the same bytes in the table of outputs, in the list of unspent ones and in ranges and snapshots, but for the index of
 * its outpoint, which is big-endian in a key and little-endian in a value. So whole states pass from one to the other without being decoded.
 */
import { StoreDamagedError } from '../errors.ts';
import type { Entry } from '../key-value/key-value-store.ts';
import { LAYOUT } from '../layout.ts';
import { SOURCES } from './names.ts';
import { ADDRESS_BYTES, ID_BYTES, OUTPOINT_BYTES } from './sizes.ts';

const AMOUNT_BYTES = 8;
const SOURCE_AT = ADDRESS_BYTES + AMOUNT_BYTES;
/** Address, amount, source, height. */
export const OUTPUT_BYTES: number = SOURCE_AT + 1 + 8;
/** Outpoint, then the output; it begins with the value of the output's leaf. */
export const UNSPENT_BYTES: number = OUTPOINT_BYTES + OUTPUT_BYTES;

/** Values of the list of unspent outputs, one after another, from records of outputs. */
export function unspentOfOutputs(entries: readonly Entry[]): Uint8Array {
  const unspent = new Uint8Array(entries.length * UNSPENT_BYTES);
  let at = 0;
  for (const [key, output] of entries) {
    if (key.length !== 1 + OUTPOINT_BYTES || !isOutput(output))
      throw new StoreDamagedError('the state has an output that is none; get it anew');
    for (let i = 0; i < OUTPOINT_BYTES; i++) unspent[at + i] = key[1 + i] as number;
    turnIndex(unspent, at);
    unspent.set(output, at + OUTPOINT_BYTES);
    at += UNSPENT_BYTES;
  }
  return unspent;
}

/** The record of an output from the list of unspent ones. */
export function outputOfUnspent([, unspent]: Entry): Entry {
  const key = new Uint8Array(1 + OUTPOINT_BYTES);
  key[0] = LAYOUT.outputs.prefix;
  for (let i = 0; i < OUTPOINT_BYTES; i++) key[1 + i] = unspent[i] as number;
  turnIndex(key, 1);
  return [key, unspent.subarray(OUTPOINT_BYTES)];
}

/** Turns the index of the outpoint at a place from one order of bytes to the other. */
export function turnIndex(bytes: Uint8Array, at: number): void {
  for (let low = at + ID_BYTES, high = at + OUTPOINT_BYTES - 1; low < high; low++, high--)
    [bytes[low], bytes[high]] = [bytes[high] as number, bytes[low] as number];
}

/** Whether there are as many bytes as an output has, the source is one, and the height a number that can be counted with. */
function isOutput(output: Uint8Array): boolean {
  return (
    output.length === OUTPUT_BYTES &&
    (output[SOURCE_AT] as number) < SOURCES.length &&
    output[OUTPUT_BYTES - 1] === 0 &&
    (output[OUTPUT_BYTES - 2] as number) < 0x20
  );
}

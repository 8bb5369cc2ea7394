/**
 * The transaction calls of the kernel. Each fills the table of `layout.ts` at the start of OUT and
 * returns 0 or an error number; pointers are the host's, into IN.
 */
import { OUT } from '../memory';
import { decodeBody, decodeTransaction } from './decode';
import { faultIndex } from './fault';
import { TABLE_CONSENSUS_KEY, TABLE_ID, TABLE_MESSAGE } from './layout';
import { operationMessage, possessionMessage, spendMessage } from './messages';
import { quoteBody } from './quote';
import { verifyTransaction } from './verify';

export function txBodyDecode(manifest: usize, body: usize, length: i32): i32 {
  return decodeBody(manifest, body, length, OUT);
}

export function txDecode(manifest: usize, wire: usize, length: i32): i32 {
  return decodeTransaction(manifest, wire, length, OUT);
}

export function txQuote(manifest: usize, body: usize, length: i32, profiles: usize): i32 {
  return quoteBody(manifest, body, length, profiles, OUT);
}

export function txVerify(
  manifest: usize,
  wire: usize,
  length: i32,
  previousOutputs: usize,
  previousCount: i32,
  owner: usize,
  keys: usize,
  keyCount: i32,
): i32 {
  return verifyTransaction(manifest, wire, length, previousOutputs, previousCount, owner, keys, keyCount, OUT);
}

/** The input, output or witness that the last failing call blames, or -1. */
export function txErrorIndex(): i32 {
  return faultIndex();
}

/** Message of an input of the body that was decoded last. */
export function txSpendMessage(index: i32, previousOutput: usize): void {
  spendMessage(OUT + TABLE_ID, index, previousOutput, OUT + TABLE_MESSAGE);
}

export function txOperationMessage(): void {
  operationMessage(OUT + TABLE_ID, OUT + TABLE_MESSAGE);
}

/** `body` is the address of the last decoded body; its operation names a consensus key. */
export function txPossessionMessage(body: usize): void {
  possessionMessage(OUT + TABLE_ID, body + load<u32>(OUT, TABLE_CONSENSUS_KEY), OUT + TABLE_MESSAGE);
}

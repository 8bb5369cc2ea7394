/**
 * Reads what belongs to addresses: balances, unspent outputs, history.
 */
import { fromHex, LABELS } from 'svc-wasm/base';
import { hashLabel } from 'svc-wasm/protocol';
import {
  expectLimit,
  type HistoryPosition,
  type HistoryRequest,
  type HistoryRow,
  PAGE_LIMITS,
  type Page,
  type PageRequest,
  type UtxoPosition,
} from '../chain-reader.ts';
import { unpacked } from '../codec/codec.ts';
import {
  addressEntryCodec,
  type Balance,
  balanceCodec,
  type UnspentRecord,
  unspentCodec,
} from '../codec/index-records.ts';
import { Unpacker } from '../codec/unpacker.ts';
import { hexKey, historyKey } from '../commit/keys.ts';
import type { Entry, KeyValueReader } from '../key-value/key-value-store.ts';
import { rangeOf } from '../layout.ts';
import { readSome } from './read-some.ts';

const HALF_BYTES = 32;
const NO_BALANCE: Balance = { amount: 0n, outputs: 0 };
const INDEX_END = 0xffff_ffff;

/** By how much the balance of an address differs from its record, as of the turn in which it is asked; undefined if it does not. */
export type BalanceAhead = (address: string) => Balance | undefined;

export function readBalance(
  reader: KeyValueReader,
  address: string,
  balanceAhead: BalanceAhead,
): Balance {
  const record = reader.getSync(hexKey('balances', address));
  const written = record === undefined ? NO_BALANCE : unpacked(balanceCodec, record, 'balances');
  const ahead = balanceAhead(address);
  if (ahead === undefined) return written;
  return { amount: written.amount + ahead.amount, outputs: written.outputs + ahead.outputs };
}

export async function readBalances(
  reader: KeyValueReader,
  addresses: readonly string[],
  balanceAhead: BalanceAhead,
): Promise<Balance[]> {
  if (addresses.length > PAGE_LIMITS.addresses) {
    throw new RangeError(`expected at most ${PAGE_LIMITS.addresses} addresses`);
  }
  // The record may be written while others are read.
  if (addresses.some((address) => balanceAhead(address) !== undefined))
    return addresses.map((address) => readBalance(reader, address, balanceAhead));
  const keys = addresses.map((address) => hexKey('balances', address));
  const balances = await readSome(reader, keys, balanceCodec, 'balances');
  return balances.map((balance) => balance ?? NO_BALANCE);
}

/** The half of a tree key that the address decides; `docs/protocol.md` 9.1. */
export function addressHalf(address: string): Uint8Array {
  return hashLabel(LABELS.treeKey, fromHex(address)).subarray(0, HALF_BYTES);
}

export async function readUtxos(
  reader: KeyValueReader,
  address: string,
  { after, limit }: PageRequest<UtxoPosition>,
): Promise<Page<UnspentRecord, UtxoPosition>> {
  expectLimit(limit, PAGE_LIMITS.utxos);
  const half = addressHalf(address);
  const range = rangeOf('unspent', half);
  const from = after === undefined ? range.from : behind(range.from, after);
  const entries = await reader.range({ from, to: range.to, limit: limit + 1 });
  const rows = entries.slice(0, limit);
  const last = entries.length > limit ? rows.at(-1) : undefined;
  return {
    rows: rows.map(([, value]) => unpacked(unspentCodec, value, 'unspent')),
    next: last === undefined ? null : suffixOf(last),
  };
}

/** The first key behind `start | suffix`. */
function behind(start: Uint8Array, suffix: string): Uint8Array {
  return Buffer.concat([start, fromHex(suffix), Buffer.of(0)]);
}

function suffixOf([key]: Entry): string {
  return Buffer.from(key.subarray(1 + HALF_BYTES)).toString('hex');
}

export async function readHistory(
  reader: KeyValueReader,
  address: string,
  { after, limit, order = 'newest', aboveHeight = -1 }: HistoryRequest,
): Promise<Page<HistoryRow, HistoryPosition>> {
  expectLimit(limit, PAGE_LIMITS.history);
  const newest = order === 'newest';
  const { to } = rangeOf('history', fromHex(address));
  const first = historyKey(address, aboveHeight + 1, 0);
  const range =
    after === undefined
      ? { from: first, to }
      : newest
        ? { from: first, to: historyKey(address, after.height, after.index) }
        : { from: keyBehind(address, after), to };
  const entries = await reader.range({ ...range, limit: limit + 1, reverse: newest });
  const rows = entries.slice(0, limit).map(historyRow);
  const last = rows.at(-1);
  const more = entries.length > limit && last !== undefined;
  return { rows, next: more ? { height: last.height, index: last.index } : null };
}

function keyBehind(address: string, { height, index }: HistoryPosition): Uint8Array {
  return index === INDEX_END
    ? historyKey(address, height + 1, 0)
    : historyKey(address, height, index + 1);
}

function historyRow([key, value]: Entry): HistoryRow {
  const unpacker = new Unpacker(key.subarray(key.length - 11), 'history');
  return {
    height: unpacker.numberOrdered(),
    index: unpacker.u32Ordered(),
    entry: unpacked(addressEntryCodec, value, 'history'),
  };
}

/**
 * Where a validator is now, signed with its overlay key: routes that replace the registered ones, and the
 * relays that keep a slot for it. A greater sequence replaces a record; no transaction is needed.
 */
import type { Clock } from 'svc-base/pure';
import { concatBytes, equalBytes, fromHex, Reader, SvcError, toHex, Writer } from 'svc-wasm/base';
import type { KeyPair } from 'svc-wasm/kernel';
import { keyHash } from 'svc-wasm/protocol';
import { type Route, readRoutes, writeRoutes } from './endpoint.ts';
import { ROLES } from './handshake-bytes.ts';
import { signOverlay, verifies } from './overlay-signature.ts';

export interface OverlayRecord {
  readonly validatorId: string;
  /** Unix milliseconds of its making, or more where its validator had announced with a clock that was ahead. */
  readonly sequence: number;
  readonly expiryMillis: number;
  readonly routes: readonly Route[];
  /** Validator ids. */
  readonly relays: readonly string[];
}

export interface SignedRecord {
  readonly record: OverlayRecord;
  readonly bytes: Uint8Array;
}

export const RELAYS_MAX = 2;
/** How long a record is valid as validators make it. */
export const RECORD_MILLIS = 3_600_000;
/** The longest time that a record is valid. */
export const RECORD_MILLIS_MAX = 86_400_000;
const ID_BYTES = 48;
const PUBLIC_KEY_BYTES = 1_952;
const SIGNATURE_BYTES = 3_309;
const ROUTES_BYTES_MAX = 1 + 4 * (1 + 1 + 2 + 200 + 2);
export const RECORD_BYTES_MAX: number =
  PUBLIC_KEY_BYTES + SIGNATURE_BYTES + ID_BYTES + 16 + ROUTES_BYTES_MAX + 1 + RELAYS_MAX * ID_BYTES;

export function signRecord(record: OverlayRecord, chainId: Uint8Array, key: KeyPair): SignedRecord {
  const content = encodeContent(record);
  const signature = signOverlay(key, signedBytes(chainId, content));
  return { record, bytes: concatBytes(key.publicKey, signature, content) };
}

/** The record, if its signature holds; `keyHashOf` gives the hash of the required key. */
export function openRecord(
  bytes: Uint8Array,
  chainId: Uint8Array,
  keyHashOf: (validatorId: string) => string | undefined,
): SignedRecord | undefined {
  const reader = new Reader(bytes, 'record');
  const publicKey = reader.raw(PUBLIC_KEY_BYTES);
  const signature = reader.raw(SIGNATURE_BYTES);
  const content = bytes.slice(reader.offset);
  const record = decodeContent(content);
  if (keyHashOf(record.validatorId) !== toHex(keyHash(publicKey))) return undefined;
  if (!verifies(publicKey, signedBytes(chainId, content), signature)) return undefined;
  return { record, bytes };
}

function signedBytes(chainId: Uint8Array, content: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(ROLES.record), chainId, content);
}

function encodeContent(record: OverlayRecord): Uint8Array {
  const { validatorId, sequence, expiryMillis, routes, relays } = record;
  const writer = new Writer(256)
    .raw(fromHex(validatorId, 'validatorId', ID_BYTES))
    .u64(BigInt(sequence))
    .u64(BigInt(expiryMillis));
  writeRoutes(writer, routes).varint(relays.length);
  for (const relay of relays) writer.raw(fromHex(relay, 'relay', ID_BYTES));
  return writer.finish();
}

function decodeContent(bytes: Uint8Array): OverlayRecord {
  const reader = new Reader(bytes, 'record');
  const validatorId = toHex(reader.raw(ID_BYTES));
  const sequence = readMillis(reader);
  const expiryMillis = readMillis(reader);
  const routes = readRoutes(reader, 'record.routes');
  const count = reader.varint();
  if (count > RELAYS_MAX) throw new SvcError('out_of_range', `${count} relays`, { path: 'relays' });
  const relays = Array.from({ length: count }, () => toHex(reader.raw(ID_BYTES)));
  reader.end();
  return { validatorId, sequence, expiryMillis, routes, relays };
}

function readMillis(reader: Reader): number {
  const value = reader.u64();
  if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  throw new SvcError('out_of_range', `time ${value}`, { path: 'record' });
}

interface KeptRecord extends SignedRecord {
  /** By the monotonic clock. */
  readonly untilMillis: number;
}

/**
 * The newest record of each validator. A record ages by the monotonic clock from when it came, so that a wall clock that
 * is set loses none. The wall clock says how much is left of the first record of a validator, or a copy of an old
 * one would come back; one that follows a record kept here is newer whatever the clock says.
 */
export class RecordBook {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #records = new Map<string, KeptRecord>();

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
  }

  get(validatorId: string): OverlayRecord | undefined {
    return this.#find(validatorId)?.record;
  }

  /** Whether the record would replace the one kept here; cheap, so asked before the signature is checked. */
  isNew(record: OverlayRecord): boolean {
    const kept = this.get(record.validatorId);
    if (kept !== undefined) return record.sequence > kept.sequence;
    const leftMillis = record.expiryMillis - this.#clock.now();
    return record.sequence > 0 && leftMillis > 0 && leftMillis <= RECORD_MILLIS_MAX;
  }

  put(signed: SignedRecord): void {
    const { record, bytes } = signed;
    const untilMillis = this.#clock.monotonic() + this.#lifeOf(record);
    this.#records.set(record.validatorId, { record, bytes, untilMillis });
  }

  list(): SignedRecord[] {
    return [...this.#records.keys()]
      .map((id) => this.#find(id))
      .filter((kept) => kept !== undefined);
  }

  /** Forgets records of validators that are no members any more. */
  keepOnly(isMember: (validatorId: string) => boolean): void {
    for (const id of this.#records.keys()) if (!isMember(id)) this.#records.delete(id);
  }

  #find(validatorId: string): KeptRecord | undefined {
    const kept = this.#records.get(validatorId);
    if (kept === undefined || kept.untilMillis > this.#clock.monotonic()) return kept;
    this.#records.delete(validatorId);
    return undefined;
  }

  /** Sequences run ahead where a clock was set back, so a record that follows another lives for an hour at least. */
  #lifeOf({ validatorId, sequence, expiryMillis }: OverlayRecord): number {
    if (this.get(validatorId) === undefined) return expiryMillis - this.#clock.now();
    const claimedMillis = expiryMillis - sequence;
    return Math.min(RECORD_MILLIS_MAX, Math.max(RECORD_MILLIS, claimedMillis));
  }
}

/** Whether a record names this key; its signature is not checked. */
export function isSignedWith(bytes: Uint8Array, publicKey: Uint8Array): boolean {
  return equalBytes(bytes.subarray(0, PUBLIC_KEY_BYTES), publicKey);
}

/** Whose record it is and how new, without checking the signature. */
export function peekRecord(bytes: Uint8Array): OverlayRecord {
  return decodeContent(bytes.slice(PUBLIC_KEY_BYTES + SIGNATURE_BYTES));
}

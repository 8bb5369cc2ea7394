/**
 * The one table of the typed calls: what a field of a JSON document is in a program. Types and conversions both come
 * from it, and a document with a text field that is not in the table does not compile.
 *
 * Names change in one way: `transaction_id` becomes `transactionId`, and `payload_hex`, bytes in hexadecimal, becomes
 * `payload`, a `Uint8Array`.
 */
import { fromHex, toHex } from '../base/bytes.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** The id of a transaction: 96 hexadecimal characters. `asTransactionId` makes one of a text. */
export type TransactionId = Branded<'TransactionId'>;
/** An address in text form. `asAddress` makes one of a text. */
export type Address = Branded<'Address'>;
/** The id of a chain: 96 hexadecimal characters. `asChainId` makes one of a text. */
export type ChainId = Branded<'ChainId'>;
/** The template digest of a multisig package, which commits everything that a review shows. */
export type TemplateDigest = Branded<'TemplateDigest'>;
/** The identity of a service: 96 hexadecimal characters, pinned by its clients. */
export type ServiceIdentity = Branded<'ServiceIdentity'>;

/** What each kind of field is in a program. */
interface Kinds {
  readonly integer: bigint;
  readonly count: number;
  readonly text: string;
  readonly transaction: TransactionId;
  readonly address: Address;
  readonly chain: ChainId;
  readonly digest: TemplateDigest;
  readonly identity: ServiceIdentity;
}

const FIELDS = {
  accept_payload_bytes: 'count',
  accept_transaction_id: 'transaction',
  address: 'address',
  amount: 'integer',
  chain_id: 'chain',
  chat_id: 'text',
  commission_bps: 'count',
  cut_id: 'text',
  domain: 'text',
  epoch: 'integer',
  expires_at_millis: 'count',
  fee: 'integer',
  finalized_height: 'integer',
  format: 'text',
  hash: 'text',
  height: 'integer',
  identity: 'identity',
  input_amounts: 'integer',
  mass: 'integer',
  mass_per_output: 'integer',
  mass_per_signature: 'integer',
  max_inputs: 'count',
  max_outputs: 'count',
  max_own_addresses: 'count',
  max_payload_bytes: 'count',
  max_payments: 'count',
  max_text_bytes: 'count',
  max_transaction_bytes: 'count',
  max_validity_cuts: 'count',
  member: 'count',
  member_key_hashes: 'text',
  members: 'count',
  message_payload_bytes: 'count',
  method: 'text',
  min_fee_per_mass: 'integer',
  minimum_fee: 'integer',
  next_sequence: 'count',
  nonce: 'text',
  output_index: 'count',
  own_address: 'address',
  own_addresses: 'address',
  owner_address: 'address',
  payment_atoms: 'integer',
  peer_address: 'address',
  peer_messenger_id: 'text',
  position_id: 'text',
  protocol_version: 'count',
  reason: 'text',
  recipient_address: 'address',
  request_payload_bytes: 'count',
  request_transaction_id: 'transaction',
  reward_address: 'address',
  rules_id: 'text',
  sender_address: 'address',
  sequence: 'count',
  signatures: 'count',
  signatures_missing: 'count',
  status: 'count',
  target: 'text',
  template_digest: 'digest',
  text: 'text',
  threshold: 'count',
  time: 'integer',
  transaction_id: 'transaction',
  valid_from_height: 'integer',
  valid_until_height: 'integer',
  validator_id: 'text',
  validator_set: 'text',
  version: 'count',
  wire_bytes: 'count',
} as const satisfies Readonly<Record<string, keyof Kinds>>;

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type TypedName<Name> = Name extends `${infer Stem}_hex`
  ? Camel<Stem>
  : Name extends string
    ? Camel<Name>
    : Name;

/** Stands where the table lacks a field: nothing can be assigned to it. */
export interface NoKindFor<Name> {
  readonly missing: Name;
}

/** Headers keep their names and are text; so do fields of which every value is known. */
type TypedText<Name, Value> = string extends Value
  ? Name extends `${string}_hex`
    ? Uint8Array
    : Name extends keyof typeof FIELDS
      ? Kinds[(typeof FIELDS)[Name]]
      : Name extends `x-${string}`
        ? string
        : NoKindFor<Name>
  : Value;

/** A list of keys is the one list of texts that is bytes without saying so. */
type TypedItem<Name, Value> = Name extends 'members' ? Uint8Array : TypedValue<Name, Value>;

type TypedValue<Name, Value> = Value extends string
  ? TypedText<Name, Value>
  : Value extends readonly (infer Item)[]
    ? readonly TypedItem<Name, Item>[]
    : Value extends object
      ? Typed<Value>
      : Value;

/** A JSON document as programs use it. */
export type Typed<Document> = Document extends object
  ? { [Name in keyof Document as TypedName<Name>]: TypedValue<Name, Document[Name]> }
  : Document;

function typedName(name: string): string {
  return name
    .replace(/_hex$/, '')
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `outputs[1].payload_hex` as the typed call names it. */
export function typedPath(path: string): string {
  return path.split('.').map(typedName).join('.');
}

function readText(text: string, name: string): unknown {
  if (/_hex$/.test(name)) return fromHex(text, name);
  const kind = Object.hasOwn(FIELDS, name) ? FIELDS[name as keyof typeof FIELDS] : 'text';
  if (kind === 'integer') return BigInt(text);
  return kind === 'count' ? Number(text) : text;
}

/** Turns what a call answered into what a program uses. */
export function typed(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return readText(value, name);
  if (Array.isArray(value)) {
    const item = name === 'members' ? 'member_hex' : name;
    return value.map((each) => typed(each, item));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [typedName(key), typed(each, key)]),
  );
}

/** Turns what a program gives into a document. A misspelt name goes through and is refused by the call. */
export function untyped(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(untyped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([key, each]) => [documentName(key, each), key === 'apiVersion' ? each : untyped(each)]),
  );
}

function documentName(name: string, value: unknown): string {
  if (name.includes('-')) return name;
  const plain = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return value instanceof Uint8Array ? `${plain}_hex` : plain;
}

/**
 * The messages between a node and a remote signer, as typed values and as bytes; `docs/reference/signer-protocol.md`.
 * A request names the fields of what is to be signed: no frame carries bytes whose meaning the signer does not know.
 * Decoding refuses with an `SvcError` whatever an encoder here would not have written.
 */
import {
  type CutId,
  height as heightOf,
  isWellFormed,
  NIL,
  type RefusalReason,
  round as roundOf,
  type UnsignedMessage,
} from 'svc-consensus/machine';
import { equalBytes, fromHex, Reader, SvcError, toHex, Writer } from 'svc-wasm/base';

export const SIGNER_PROTOCOL_VERSION = 1;

const ID_BYTES = 48;
const PUBLIC_KEY_BYTES = 1_952;
const SIGNATURE_BYTES = 3_309;
const NAME_BYTES_MAX = 64;
const RECORD_BYTES_MAX = 8_192;
const MANIFEST_BYTES_MAX = 8_192;
const BODY_BYTES_MAX = 16_384;
/** No frame is longer; a peer that announces a longer one is disconnected. */
export const FRAME_BYTES_MAX = 32_768;

/** In the order of their numbers on the wire, which begin at 1 and are never used again. */
const REASONS = [
  'height_regression',
  'round_regression',
  'step_regression',
  'conflicting_message',
  'silent_after_new_sign_state',
  'silent_after_lost_log',
  'key_in_use_elsewhere',
  'key_retired',
  'storage_failed',
  /** The request names a lease that has ended, or comes from a connection without one. */
  'lease_lost',
  'wrong_chain',
  'unknown_version',
  /** The body of the transaction is of another chain, or its operation is not a heartbeat. */
  'not_a_heartbeat',
  /** A stop or a retirement cannot be reverted. */
  'record_is_final',
] as const;

export type SignerRefusal = (typeof REASONS)[number];

export interface SigningRequest {
  readonly type: 'sign';
  readonly lease: number;
  readonly id: number;
  readonly message: UnsignedMessage;
  /** The set of validators that the signed bytes name. */
  readonly setId: Uint8Array;
}

export type SignerRequest =
  /** Asks for the lease. */
  | {
      readonly type: 'ask';
      readonly version: number;
      readonly chainId: Uint8Array;
      readonly name: string;
    }
  /** Keeps the lease while nothing is to be signed. */
  | { readonly type: 'keep'; readonly lease: number }
  | SigningRequest
  /** How long the key stays silent, and whether it stops for good. */
  | {
      readonly type: 'silence';
      readonly lease: number;
      readonly id: number;
      readonly silentThrough: number;
      readonly stopped: boolean;
    }
  /** The body of a transaction whose operation is a heartbeat. */
  | {
      readonly type: 'heartbeat';
      readonly lease: number;
      readonly id: number;
      readonly manifest: string;
      readonly body: Uint8Array;
    };

export type SignerAnswer =
  /** `record` is the sign state as it is stored. */
  | {
      readonly type: 'granted';
      readonly lease: number;
      readonly publicKey: Uint8Array;
      readonly record: Uint8Array;
    }
  | { readonly type: 'held'; readonly publicKey: Uint8Array; readonly holder: string }
  | { readonly type: 'kept'; readonly lease: number }
  | { readonly type: 'signed'; readonly id: number; readonly signature: Uint8Array }
  | { readonly type: 'done'; readonly id: number }
  /** `id` is 0 if the lease was refused. */
  | { readonly type: 'refused'; readonly id: number; readonly reason: SignerRefusal };

const REQUEST_TAGS = { ask: 1, keep: 2, sign: 3, silence: 4, heartbeat: 5 } as const;
const ANSWER_TAGS = { granted: 129, held: 130, kept: 131, signed: 132, done: 133, refused: 134 };
const KINDS = ['proposal', 'prevote', 'precommit'] as const;

export function isSigningRefusal(reason: SignerRefusal): reason is RefusalReason {
  return REASONS.indexOf(reason) <= REASONS.indexOf('storage_failed');
}

export function encodeRequest(request: SignerRequest): Uint8Array {
  const writer = new Writer().u8(REQUEST_TAGS[request.type]);
  switch (request.type) {
    case 'ask':
      writer.u8(request.version).raw(request.chainId).counted(nameBytes(request.name));
      break;
    case 'keep':
      writer.u64(BigInt(request.lease));
      break;
    case 'sign':
      writeMessage(writer.u64(BigInt(request.lease)).u32(request.id), request);
      break;
    case 'silence':
      writer
        .u64(BigInt(request.lease))
        .u32(request.id)
        .u64(BigInt(request.silentThrough))
        .u8(request.stopped ? 1 : 0);
      break;
    case 'heartbeat':
      writer
        .u64(BigInt(request.lease))
        .u32(request.id)
        .counted(new TextEncoder().encode(request.manifest))
        .counted(request.body);
  }
  return writer.finish();
}

export function decodeRequest(bytes: Uint8Array): SignerRequest {
  const reader = new Reader(bytes, 'request');
  const request = readRequest(reader, reader.u8());
  reader.end();
  return request;
}

function readRequest(reader: Reader, tag: number): SignerRequest {
  switch (tag) {
    case REQUEST_TAGS.ask: {
      const version = reader.u8();
      return { type: 'ask', version, chainId: reader.raw(ID_BYTES), name: readName(reader) };
    }
    case REQUEST_TAGS.keep:
      return { type: 'keep', lease: readSafe(reader) };
    case REQUEST_TAGS.sign:
      return {
        type: 'sign',
        lease: readSafe(reader),
        id: reader.u32(),
        message: readMessage(reader),
        setId: reader.raw(ID_BYTES),
      };
    case REQUEST_TAGS.silence:
      return {
        type: 'silence',
        lease: readSafe(reader),
        id: reader.u32(),
        silentThrough: readSafe(reader),
        stopped: readFlag(reader),
      };
    case REQUEST_TAGS.heartbeat:
      return {
        type: 'heartbeat',
        lease: readSafe(reader),
        id: reader.u32(),
        manifest: readText(reader, MANIFEST_BYTES_MAX),
        body: reader.counted(BODY_BYTES_MAX),
      };
    default:
      throw malformed('out_of_range', `no request has the tag ${tag}`);
  }
}

export function encodeAnswer(answer: SignerAnswer): Uint8Array {
  const writer = new Writer().u8(ANSWER_TAGS[answer.type]);
  switch (answer.type) {
    case 'granted':
      writer.u64(BigInt(answer.lease)).raw(answer.publicKey).counted(answer.record);
      break;
    case 'held':
      writer.raw(answer.publicKey).counted(nameBytes(answer.holder));
      break;
    case 'kept':
      writer.u64(BigInt(answer.lease));
      break;
    case 'signed':
      writer.u32(answer.id).raw(answer.signature);
      break;
    case 'done':
      writer.u32(answer.id);
      break;
    case 'refused':
      writer.u32(answer.id).u8(REASONS.indexOf(answer.reason) + 1);
  }
  return writer.finish();
}

export function decodeAnswer(bytes: Uint8Array): SignerAnswer {
  const reader = new Reader(bytes, 'answer');
  const answer = readAnswer(reader, reader.u8());
  reader.end();
  return answer;
}

function readAnswer(reader: Reader, tag: number): SignerAnswer {
  switch (tag) {
    case ANSWER_TAGS.granted: {
      const [lease, publicKey] = [readSafe(reader), reader.raw(PUBLIC_KEY_BYTES)];
      return { type: 'granted', lease, publicKey, record: reader.counted(RECORD_BYTES_MAX) };
    }
    case ANSWER_TAGS.held:
      return { type: 'held', publicKey: reader.raw(PUBLIC_KEY_BYTES), holder: readName(reader) };
    case ANSWER_TAGS.kept:
      return { type: 'kept', lease: readSafe(reader) };
    case ANSWER_TAGS.signed:
      return { type: 'signed', id: reader.u32(), signature: reader.raw(SIGNATURE_BYTES) };
    case ANSWER_TAGS.done:
      return { type: 'done', id: reader.u32() };
    case ANSWER_TAGS.refused: {
      const [id, number] = [reader.u32(), reader.u8()];
      const reason = REASONS[number - 1];
      if (reason === undefined)
        throw malformed('out_of_range', `no refusal has the number ${number}`);
      return { type: 'refused', id, reason };
    }
    default:
      throw malformed('out_of_range', `no answer has the tag ${tag}`);
  }
}

function writeMessage(writer: Writer, { message, setId }: SigningRequest): void {
  const { kind, height, round, validRound, value } = message;
  writer
    .u8(KINDS.indexOf(kind) + 1)
    .u64(BigInt(height))
    .u32(round)
    .i32(validRound)
    .u8(value === NIL ? 0 : 1);
  if (value !== NIL) writer.raw(fromHex(value, 'value', ID_BYTES));
  writer.raw(setId);
}

/** The index of the validator in its set is not signed, so it is not sent. */
function readMessage(reader: Reader): UnsignedMessage {
  const kind = KINDS[reader.u8() - 1];
  const [height, round, validRound] = [readSafe(reader), reader.u32(), reader.i32()];
  const value = readFlag(reader) ? (toHex(reader.raw(ID_BYTES)) as CutId) : NIL;
  if (kind === undefined || round > 0x7fff_ffff || validRound < -1)
    throw malformed('out_of_range', 'no such kind or round');
  const message = {
    kind,
    height: heightOf(height),
    round: roundOf(round),
    validRound: roundOf(validRound),
    value,
    validatorIndex: 0,
  } as UnsignedMessage;
  if (!isWellFormed(message))
    throw malformed('out_of_range', 'rounds and value do not fit the kind');
  return message;
}

function nameBytes(name: string): Uint8Array {
  return new TextEncoder().encode(name).slice(0, NAME_BYTES_MAX);
}

/** Names are shown in logs, so only plain characters are read. */
function readName(reader: Reader): string {
  const name = readText(reader, NAME_BYTES_MAX);
  if (/^[\x20-\x7e]*$/.test(name)) return name;
  throw malformed('bad_text', 'a name has plain ASCII characters only');
}

function readText(reader: Reader, bytesMax: number): string {
  const bytes = reader.counted(bytesMax);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (!equalBytes(new TextEncoder().encode(text), bytes))
    throw malformed('not_canonical', 'text that is not plain UTF-8');
  return text;
}

function readSafe(reader: Reader): number {
  const value = reader.u64();
  if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  throw malformed('out_of_range', `expected at most ${Number.MAX_SAFE_INTEGER}, found ${value}`);
}

function readFlag(reader: Reader): boolean {
  const value = reader.u8();
  if (value > 1) throw malformed('out_of_range', `expected 0 or 1, found ${value}`);
  return value === 1;
}

function malformed(code: 'bad_text' | 'out_of_range' | 'not_canonical', message: string): SvcError {
  return new SvcError(code, message, { path: 'frame' });
}

/**
 * The inputs that the log keeps, as the payload of its records; `docs/protocol.md` 8.7. Messages in
 * it were verified before they were written, and are not verified again.
 */
import { expectBytes, Reader, SvcError, Writer } from 'svc-wasm/base';
import { assertInvariant } from '../base/assertion.ts';
import { ROUND_MAX } from '../base/limits.ts';
import type { SignedMessage } from '../base/messages.ts';
import type { Height, Round } from '../base/types.ts';
import { FIRST_ROUND, NO_ROUND } from '../base/types.ts';
import type { Input } from '../step/inputs.ts';
import {
  decodeCommitCertificate,
  decodePolkaCertificate,
  encodeCertificate,
} from './certificate-bytes.ts';
import { decodeHeightContext, encodeHeightContext } from './height-context.ts';
import { decodeProposal, decodeVote, encodeSigned } from './signed-message.ts';
import type { WireContext } from './wire-context.ts';
import { cutIdBytes, cutIdFrom, heightFrom, ID_BYTES, roundFrom } from './wire-context.ts';

/** The inputs that a log record can hold; the machine appends nothing else. */
export type LoggedInput = Extract<
  Input,
  {
    type:
      | 'startHeight'
      | 'timer'
      | 'proposal'
      | 'vote'
      | 'commitCertificate'
      | 'polkaCertificate'
      | 'cutBuilt'
      | 'verdict'
      | 'signed';
  }
>;

const TAGS: Readonly<Record<LoggedInput['type'], number>> = {
  startHeight: 1,
  timer: 2,
  proposal: 3,
  vote: 4,
  commitCertificate: 5,
  polkaCertificate: 6,
  cutBuilt: 7,
  verdict: 8,
  signed: 9,
};
const TYPES = new Map(Object.entries(TAGS).map(([type, tag]) => [tag, type]));

const TIMERS = ['start', 'propose', 'prevote', 'precommit'] as const;
const VERDICTS = ['invalid', 'valid', 'unknown'] as const;

function isLogged(input: Input): input is LoggedInput {
  return Object.hasOwn(TAGS, input.type);
}

export function encodeInput(context: WireContext, input: Input): Uint8Array {
  assertInvariant(isLogged(input), `an input of type ${input.type} does not belong into the log`);
  const writer = new Writer(96).u8(TAGS[input.type]);
  return writeContent(writer, context, input).finish();
}

function writeContent(writer: Writer, context: WireContext, input: LoggedInput): Writer {
  switch (input.type) {
    case 'startHeight':
      return writer.raw(encodeHeightContext(input.context));
    case 'timer':
      writer.u8(TIMERS.indexOf(input.timer)).u64(BigInt(input.height));
      return writer.i32(input.round).u64(input.nowMs);
    case 'proposal':
      writer.u64(input.cutTimeMs).u64(input.receivedAtMs);
      return writer.raw(encodeSigned(context, input.proposal));
    case 'vote':
      return writer.raw(encodeSigned(context, input.vote));
    case 'commitCertificate':
    case 'polkaCertificate':
      return writer.raw(encodeCertificate(context, input.certificate));
    case 'cutBuilt':
      writer.u64(BigInt(input.height)).u32(input.round);
      return writer.raw(cutIdBytes(input.value));
    case 'verdict':
      writer.u64(BigInt(input.height)).u8(VERDICTS.indexOf(input.verdict));
      return writer.raw(cutIdBytes(input.value));
    case 'signed':
      writer.u8(input.message.kind === 'proposal' ? 1 : 0);
      return writer.raw(encodeSigned(context, input.message));
  }
}

export function decodeInput(context: WireContext, bytes: Uint8Array, path = 'input'): LoggedInput {
  const tag = expectBytes(bytes, path)[0];
  const content = bytes.subarray(1);
  switch (tag === undefined ? undefined : TYPES.get(tag)) {
    case 'startHeight':
      return { type: 'startHeight', context: decodeHeightContext(content, path) };
    case 'vote':
      return { type: 'vote', vote: decodeVote(context, content, path) };
    case 'commitCertificate': {
      const certificate = decodeCommitCertificate(context, content, path);
      return { type: 'commitCertificate', certificate };
    }
    case 'polkaCertificate': {
      const certificate = decodePolkaCertificate(context, content, path);
      return { type: 'polkaCertificate', certificate };
    }
    case 'timer':
      return decodeTimer(content, path);
    case 'proposal':
      return decodeProposalInput(context, content, path);
    case 'cutBuilt':
      return decodeCutBuilt(content, path);
    case 'verdict':
      return decodeVerdict(content, path);
    case 'signed':
      return { type: 'signed', message: decodeOwn(context, content, path) };
    default:
      throw new SvcError('bad_cut', `expected a tag from 1 to 9, found ${tag}`, { path });
  }
}

function decodeTimer(content: Uint8Array, path: string): LoggedInput {
  const reader = new Reader(content, path);
  const timer = oneOf(TIMERS, reader.u8(), `${path}.timer`);
  const height = readHeight(reader, path);
  const round = reader.i32();
  const nowMs = reader.u64();
  reader.end();
  if (round < NO_ROUND) throw outOfRange(round, `${path}.round`);
  return { type: 'timer', timer, height, round: roundFrom(round), nowMs };
}

function decodeProposalInput(context: WireContext, content: Uint8Array, path: string): LoggedInput {
  const reader = new Reader(content, path);
  const cutTimeMs = reader.u64();
  const receivedAtMs = reader.u64();
  const proposal = decodeProposal(context, content.subarray(reader.offset), path);
  return { type: 'proposal', proposal, cutTimeMs, receivedAtMs };
}

function decodeCutBuilt(content: Uint8Array, path: string): LoggedInput {
  const reader = new Reader(content, path);
  const height = readHeight(reader, path);
  const round = readRound(reader, path);
  const value = cutIdFrom(reader.raw(ID_BYTES));
  reader.end();
  return { type: 'cutBuilt', height, round, value };
}

function decodeVerdict(content: Uint8Array, path: string): LoggedInput {
  const reader = new Reader(content, path);
  const height = readHeight(reader, path);
  const verdict = oneOf(VERDICTS, reader.u8(), `${path}.verdict`);
  const value = cutIdFrom(reader.raw(ID_BYTES));
  reader.end();
  return { type: 'verdict', height, value, verdict };
}

function decodeOwn(context: WireContext, content: Uint8Array, path: string): SignedMessage {
  const isProposal = oneOf([false, true] as const, new Reader(content, path).u8(), path);
  const bytes = content.subarray(1);
  return isProposal ? decodeProposal(context, bytes, path) : decodeVote(context, bytes, path);
}

function readHeight(reader: Reader, path: string): Height {
  return heightFrom(reader.u64(), `${path}.height`);
}

function readRound(reader: Reader, path: string): Round {
  const round = reader.u32();
  if (round < FIRST_ROUND || round > ROUND_MAX) throw outOfRange(round, `${path}.round`);
  return roundFrom(round);
}

function oneOf<T>(choices: readonly T[], index: number, path: string): T {
  if (index < choices.length) return choices[index] as T;
  throw outOfRange(index, path);
}

function outOfRange(found: number, path: string): SvcError {
  return new SvcError('out_of_range', `${found} is not allowed here`, { path });
}

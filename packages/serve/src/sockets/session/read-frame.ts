/**
 * Reads a frame that a client sent on `/v1/ws` against the schema of its type. Its id is read first: the refusal of a frame
 * carries the id if the frame has a usable one.
 */
import {
  CLIENT_FRAMES,
  type ClientFrame,
  type ErrorCode,
  FRAME_ID_CHARACTERS_MAX,
  FrameId,
  REQUEST_PATH_BYTES_MAX,
  SOCKET_LIMITS,
  SubscribeFrame,
  strict,
  TOPICS,
} from 'svc-api';
import { faultOf } from 'svc-api/check';
import { parseJson } from 'svc-wasm/base';
import { type TSchema, Type } from 'typebox';
import { expectFit, Refused } from '../../refusal/refused.ts';

export interface Envelope {
  readonly type: string;
  /** The id for the answer; undefined if the frame has no usable one. */
  readonly id: FrameId | undefined;
  readonly data: unknown;
}

const ENVELOPE = strict({ type: Type.String(), data: Type.Unknown() });

/**
 * The strict reader of JSON is slow for texts of thousands of values, 10 ms for 64 KiB. The largest frame,
 * with 64 addresses, has some 140 of these characters.
 */
const STRUCTURE_MAX = 512;
const STRUCTURE = /[,:[{\\]/g;

function expectFewValues(text: string): void {
  STRUCTURE.lastIndex = 0;
  for (let found = 0; STRUCTURE.test(text); found++) {
    if (found < STRUCTURE_MAX) continue;
    throw new Refused('bad_json', 'expected fewer values and escapes: no frame has so many');
  }
}

export function readEnvelope(text: string): Envelope {
  expectFewValues(text);
  const frame: unknown = parseJson(text);
  expectFit(ENVELOPE, frame);
  const { type, data } = frame as Omit<Envelope, 'id'>;
  const { id } = (data ?? {}) as { readonly id?: unknown };
  return { type, data, id: faultOf(FrameId, id) === undefined ? (id as FrameId) : undefined };
}

export function readFrame({ type, data }: Envelope): ClientFrame {
  const frame: unknown = { type, data };
  const fault = faultOf(schemaOf(type, data), frame);
  if (fault === undefined) return frame as ClientFrame;
  const { path } = fault;
  const isThere = fault.code !== 'missing_field' && fault.code !== 'unknown_field';
  const [code, message] = (isThere ? FIELD_FAULTS[path] : undefined) ?? [fault.code, fault.message];
  throw new Refused(code, message, { path });
}

function schemaOf(type: string, data: unknown): TSchema {
  if (type === 'subscribe') {
    const { topic } = (data ?? {}) as { readonly topic?: unknown };
    const [plain, transaction, addresses] = SubscribeFrame.anyOf;
    return topic === 'transaction' ? transaction : topic === 'addresses' ? addresses : plain;
  }
  if (Object.hasOwn(CLIENT_FRAMES, type)) return CLIENT_FRAMES[type as keyof typeof CLIENT_FRAMES];
  const expected = Object.keys(CLIENT_FRAMES).join(', ');
  throw new Refused('unknown_frame', `expected one of ${expected}`, { path: 'type' });
}

/** Refusals of fields that say more than the keyword of the schema which was not met. */
const FIELD_FAULTS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  'data.id': [
    'bad_value',
    `expected a whole number or a string of 1 to ${FRAME_ID_CHARACTERS_MAX} characters`,
  ],
  'data.subscription': [
    'bad_value',
    `expected the number of a subscription, 1 to ${SOCKET_LIMITS.node.subscriptions}`,
  ],
  'data.path': [
    'bad_path',
    `expected a path of at most ${REQUEST_PATH_BYTES_MAX} bytes, without host, // or dots`,
  ],
  'data.topic': ['unknown_topic', `expected one of ${TOPICS.join(', ')}`],
};

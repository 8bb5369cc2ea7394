/**
 * `svc-mining-v1`: one JSON-RPC object on a line. Requests and answers have an integer `id`; notices have none. An
 * answer carries no name of its method, so the fields of its result identify it.
 */
import type { Json, JsonObject } from 'svc-wasm/base';
import { Fields, parseJson, SvcError } from 'svc-wasm/base';
import { MESSAGE_BYTES_MAX, REASON_CHARACTERS_MAX } from './limits.ts';
import { kindOfMessage, MESSAGE_KINDS, type Message, type MessageKind } from './messages.ts';
import { refusalOfCode } from './refusals.ts';

const ID_MAX = 0xffff_ffff;
const VERSION = '2.0';
const MEMBERS = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];
const PRINTABLE = /^[ -~]*$/;
const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const NAMED: ReadonlyMap<string, MessageKind> = new Map(
  MESSAGE_KINDS.filter(({ role }) => role !== 'answer').map((kind) => [kind.method, kind]),
);

/** The text of a message, without a line feed. */
export function encodeLine(message: Message): string {
  return JSON.stringify({ jsonrpc: VERSION, ...membersOf(message) });
}

function membersOf(message: Message): JsonObject {
  if (message.type === 'refused') {
    const { code, message: reason } = message;
    const name = refusalOfCode(code);
    const data = name === undefined ? {} : { data: { reason: name } };
    return { id: message.id ?? null, error: { code, message: printable(reason), ...data } };
  }
  const { role, method, fields } = kindOfMessage(message.type);
  const content = fields.toJson(message);
  if (role === 'notice') return { method, params: content };
  const id = (message as { readonly id: number }).id;
  return role === 'request' ? { id, method, params: content } : { id, result: content };
}

export function decodeLine(line: Uint8Array | string): Message {
  const text = typeof line === 'string' ? line : textOf(line);
  const members = new Fields(parseJson(text, '', MESSAGE_BYTES_MAX), '', MEMBERS);
  if (members.has('jsonrpc') && members.value('jsonrpc') !== VERSION)
    throw new SvcError('unsupported_version', `expected "${VERSION}"`, { path: 'jsonrpc' });
  if (members.has('method')) return namedMessage(members);
  return members.has('error') ? refused(members) : answer(members);
}

function textOf(line: Uint8Array): string {
  try {
    return DECODER.decode(line);
  } catch (cause) {
    throw new SvcError('bad_text', 'the line is not UTF-8', { cause });
  }
}

function namedMessage(members: Fields): Message {
  const method = members.string('method', 64);
  const kind = NAMED.get(method);
  if (kind === undefined)
    throw new SvcError('bad_text', 'there is no such method', { path: 'method' });
  const isRequest = kind.role === 'request';
  expectMembers(members, isRequest ? ['id', 'method', 'params'] : ['method', 'params']);
  const content = kind.fields.fromJson(members.value('params'), 'params');
  const id = isRequest ? { id: idOf(members) } : {};
  return { type: kind.type, ...id, ...content } as unknown as Message;
}

function answer(members: Fields): Message {
  expectMembers(members, ['id', 'result']);
  const result = members.value('result');
  const kind = kindOfMessage(answerType(result));
  const content = kind.fields.fromJson(result, 'result');
  return { type: kind.type, id: idOf(members), ...content } as unknown as Message;
}

function answerType(result: Json): 'subscribed' | 'authorized' | 'submitted' {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return 'submitted';
  if ('session' in result) return 'subscribed';
  return 'worker' in result ? 'authorized' : 'submitted';
}

function refused(members: Fields): Message {
  expectMembers(members, ['id', 'error']);
  const error = members.fields('error', ['code', 'message', 'data']);
  const code = error.value('code');
  if (typeof code !== 'number' || code < 0 || code > 0xffff)
    throw new SvcError('out_of_range', 'expected 0 to 65535', { path: 'error.code' });
  const message = error.string('message', REASON_CHARACTERS_MAX);
  if (!PRINTABLE.test(message))
    throw new SvcError('bad_text', 'expected printable ASCII', { path: 'error.message' });
  const isNamed = members.value('id') !== null;
  return { type: 'refused', ...(isNamed ? { id: idOf(members) } : {}), code, message };
}

function expectMembers(members: Fields, allowed: readonly string[]): void {
  const other = MEMBERS.find(
    (name) => name !== 'jsonrpc' && !allowed.includes(name) && members.has(name),
  );
  if (other === undefined) return;
  throw new SvcError('unknown_field', `expected ${allowed.join(', ')}`, { path: other });
}

function idOf(members: Fields): number {
  const id = members.value('id');
  if (typeof id === 'number' && id >= 0 && id <= ID_MAX) return id;
  throw new SvcError('bad_type', `expected an integer from 0 to ${ID_MAX}`, { path: 'id' });
}

/** A reason in the one form that both codecs carry. */
export function printable(reason: string): string {
  return reason.replaceAll(/[^ -~]/g, '?').slice(0, REASON_CHARACTERS_MAX);
}

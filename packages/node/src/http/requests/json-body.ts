/**
 * Bodies: JSON in UTF-8, uncompressed, read by the strict reader of the protocol module. The bytes are kept,
 * since a signed answer covers them.
 */
import type { IncomingMessage } from 'node:http';
import { type Json, parseJson } from 'svc-wasm/base';
import { type Refusal, Refused } from '../../refusal/refused.ts';

export const BODY_BYTES_MAX = 128 * 1024;

const MEDIA_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What is wrong with the headers that describe a body. */
export function bodyHeadersFault(request: IncomingMessage): Refusal | undefined {
  const { headers } = request;
  const fault = encodingFault(request);
  if (fault !== undefined) return fault;
  if (!MEDIA_TYPE.test(headers['content-type'] ?? '')) {
    return { code: 'unsupported_media_type', message: 'expected content-type application/json' };
  }
  return undefined;
}

export function encodingFault({ headers }: IncomingMessage): Refusal | undefined {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding.toLowerCase() !== 'identity'
    ? { code: 'unsupported_media_type', message: 'expected a body that is not compressed' }
    : undefined;
}

/** Whether a request that takes no body has one. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

export function readJsonBody(bytes: Uint8Array): Json {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    throw new Refused('bad_json', 'expected UTF-8');
  }
  return parseJson(text);
}

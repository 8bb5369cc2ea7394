/**
 * Reads an answer: returns its document, or throws the error that the server answered with.
 */
import type { ErrorDocument } from 'svc-api';
import { ClientError } from '../client-error.ts';
import type { Answer } from './exchange.ts';

export function readAnswer(answer: Answer): unknown {
  const text = answer.text ?? new TextDecoder().decode(answer.body);
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  if (answer.status >= 200 && answer.status < 300) return isJson ? parse(text) : text;
  throw refusalOf(answer, isJson ? parse(text) : undefined);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new ClientError('bad_answer', 'the answer is not JSON', { cause });
  }
}

function refusalOf({ status, headers }: Answer, body: unknown): ClientError {
  const document = body as Partial<ErrorDocument> | null | undefined;
  const error = document?.error;
  const code = typeof error?.code === 'string' ? error.code : undefined;
  const message = typeof error?.message === 'string' ? error.message : `answered ${status}`;
  const wait = document?.retry_after_millis ?? secondsOf(headers.get('retry-after'));
  return new ClientError('refused', message, {
    status,
    ...(code === undefined ? {} : { code }),
    ...(typeof error?.path === 'string' ? { path: error.path } : {}),
    ...(typeof error?.hint === 'string' ? { hint: error.hint } : {}),
    ...(typeof wait === 'number' ? { retryAfterMillis: wait } : {}),
  });
}

function secondsOf(header: string | null): number | undefined {
  return header !== null && /^[0-9]{1,5}$/.test(header) ? Number(header) * 1000 : undefined;
}

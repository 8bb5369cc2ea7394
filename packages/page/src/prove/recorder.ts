/**
 * Answers of the node on their way to a proof: recorded as they come, or played back from a file. Either way a proof is
 * made of the same requests in the same order.
 */
import type { RecordedAnswer } from './claims.ts';

/** More than the largest proof needs. */
const ANSWERS_MAX = 512;

export class Recorder {
  readonly answers: RecordedAnswer[] = [];
  bytes = 0;

  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const answer = await response.text();
    this.bytes += answer.length;
    if (this.answers.length < ANSWERS_MAX) {
      this.answers.push({
        ...requestOf(input, init),
        status: response.status,
        answer,
      });
    }
    return new Response(answer, { status: response.status, headers: response.headers });
  };
}

/** Answers every request with the next recorded answer to it; a request that was not recorded fails. */
export function playBack(
  answers: readonly RecordedAnswer[],
  counted: { bytes: number },
): typeof fetch {
  const left = [...answers];
  return async (input, init) => {
    const { method, target, body } = requestOf(input, init);
    const at = left.findIndex(
      (each) => each.method === method && each.target === target && each.body === body,
    );
    const [found] = at < 0 ? [] : left.splice(at, 1);
    if (found === undefined) throw new TypeError(`the file has no answer to ${method} ${target}`);
    counted.bytes += found.answer.length;
    const headers = { 'content-type': 'application/json' };
    return new Response(found.answer, { status: found.status, headers });
  };
}

function requestOf(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Pick<RecordedAnswer, 'method' | 'target' | 'body'> {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  const body = typeof init?.body === 'string' ? init.body : null;
  return { method: init?.method ?? 'GET', target: `${pathname}${search}`, body };
}

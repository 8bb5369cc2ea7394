/**
 * Answers of the node on their way to a proof: recorded as they come, or played back from a file. Either way a proof is
 * made of the same requests in the same order.
 */
import { nonceHeaders, SIGNED_HEADERS } from '../http/signed-answers.ts';
import type { AskSigned } from './check-context.ts';
import type { RecordedAnswer } from './claims.ts';
import { Unprovable } from './verdicts.ts';

/** More than the largest proof needs. */
export const ANSWERS_MAX = 512;

const NONCE = SIGNED_HEADERS.nonce;

/** Where a proof gets its answers. */
export interface AnswerSource {
  readonly fetch: typeof fetch;
  readonly askSigned: AskSigned;
  /** Read so far. */
  readonly bytes: number;
}

export class Recorder implements AnswerSource {
  readonly answers: RecordedAnswer[] = [];
  readonly #origin: string;
  bytes = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const answer = await response.text();
    this.#keep({ ...requestOf(input, init), status: response.status, answer });
    return new Response(answer, { status: response.status, headers: response.headers });
  };

  readonly askSigned: AskSigned = async (target) => {
    const sent = nonceHeaders();
    const response = await fetch(new URL(target, this.#origin), { headers: sent });
    const body = await response.text();
    const headers = Object.fromEntries(
      Object.values(SIGNED_HEADERS).map((name) => [name, response.headers.get(name)]),
    );
    const { status } = response;
    this.#keep({ method: 'GET', target, body: null, status, answer: body, headers });
    return { status, body, headers, nonce: sent[NONCE] as string };
  };

  #keep(answer: RecordedAnswer): void {
    this.bytes += answer.answer.length;
    if (this.answers.length < ANSWERS_MAX) this.answers.push(answer);
  }
}

/** Answers every request with the next recorded answer to it; a request that was not recorded fails. */
export class Playback implements AnswerSource {
  readonly #left: RecordedAnswer[];
  bytes = 0;

  constructor(answers: readonly RecordedAnswer[]) {
    this.#left = [...answers];
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const { method, target, body } = requestOf(input, init);
    const found = this.#next((each) => each.method === method && each.body === body, target);
    const headers = { 'content-type': 'application/json' };
    return new Response(found.answer, { status: found.status, headers });
  };

  /** The nonce of the recorded exchange is in its answer; that it was fresh then, nobody can tell from a file. */
  readonly askSigned: AskSigned = async (target) => {
    const { status, answer, headers = {} } = this.#next((each) => 'headers' in each, target);
    return { status, body: answer, headers, nonce: headers[NONCE] ?? '' };
  };

  #next(fits: (answer: RecordedAnswer) => boolean, target: string): RecordedAnswer {
    const at = this.#left.findIndex((each) => each.target === target && fits(each));
    const [found] = at < 0 ? [] : this.#left.splice(at, 1);
    if (found === undefined) throw new Unprovable(`the file has no answer to ${target}`);
    this.bytes += found.answer.length;
    return found;
  }
}

function requestOf(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Pick<RecordedAnswer, 'method' | 'target' | 'body'> {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  const body = typeof init?.body === 'string' ? init.body : null;
  return { method: init?.method ?? 'GET', target: `${pathname}${search}`, body };
}

/**
 * Answers of the node on their way to a proof: recorded as they come, or played back from a file. Either way a proof is
 * made of the same requests in the same order.
 */
import { type Exchange, exchange } from '../http/exchange.ts';
import { nonceHeaders, SIGNED_HEADERS } from '../http/signed-answers.ts';
import type { WireRequest } from '../routes/make-request.ts';
import type { AskSigned } from './check-context.ts';
import type { RecordedAnswer } from './claims.ts';
import { Unprovable } from './verdicts.ts';

/** More than the largest proof needs. */
export const ANSWERS_MAX = 512;

const NONCE = SIGNED_HEADERS.nonce;
const JSON_HEADERS = new Headers({ 'content-type': 'application/json' });
/** An answer of a file is its text: bytes are for signatures of identities, which no call of a proof pins. */
const NO_BYTES = new Uint8Array(0);

/** Where a proof gets its answers. */
export interface AnswerSource {
  readonly exchange: Exchange;
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

  readonly exchange: Exchange = async (base, request, options) => {
    const found = await exchange((...given) => fetch(...given), base, request, options);
    const answer = new TextDecoder().decode(found.body);
    this.#keep({ ...recorded(request), status: found.status, answer });
    return { ...found, text: answer };
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

  readonly exchange: Exchange = async (_, request) => {
    const { method, target, body } = recorded(request);
    const found = this.#next((each) => each.method === method && each.body === body, target);
    const { status, answer: text } = found;
    return { status, headers: JSON_HEADERS, text, body: NO_BYTES };
  };

  /** The nonce of the recorded exchange is in its answer; a file cannot show that it was fresh then. */
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

function recorded({
  method,
  target,
  body,
}: WireRequest): Pick<RecordedAnswer, 'method' | 'target' | 'body'> {
  return { method, target, body: body ?? null };
}

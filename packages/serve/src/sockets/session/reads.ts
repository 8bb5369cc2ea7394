/**
 * The reads of one connection: answered by the HTTP API, a few at a time, each within a size and a time.
 */
import type { FrameId, SocketLimits } from 'svc-api';
import type { Clock, Log } from 'svc-base/pure';
import { Refused } from '../../refusal/refused.ts';
import { textFrame } from '../connection/frames.ts';
import type { ReadAnswer, ReadPort } from '../ports.ts';

const ANSWER_MILLIS_MAX = 10_000;
const END = Buffer.from('}}');

export interface ReadsPorts {
  readonly read: ReadPort;
  readonly limits: SocketLimits;
  readonly clock: Clock;
  readonly log: Log;
}

export class Reads {
  readonly #ports: ReadsPorts;
  #inFlight = 0;

  constructor(ports: ReadsPorts) {
    this.#ports = ports;
  }

  async start(path: string, client: string): Promise<ReadAnswer> {
    const { limits } = this.#ports;
    if (this.#inFlight >= limits.requestsInFlight) {
      const message = `at most ${limits.requestsInFlight} requests may wait for an answer`;
      throw new Refused('too_many_in_flight', message);
    }
    this.#inFlight++;
    try {
      return await this.#answer(path, client);
    } finally {
      this.#inFlight--;
    }
  }

  async #answer(path: string, client: string): Promise<ReadAnswer> {
    const { clock, limits, log, read } = this.#ports;
    const late = Promise.withResolvers<never>();
    const cancel = clock.after(ANSWER_MILLIS_MAX, () =>
      late.reject(new Refused('overloaded', 'the answer was not ready in time')),
    );
    try {
      const answer = await Promise.race([read(path, client), late.promise]);
      const bytes = Buffer.byteLength(answer.body);
      if (bytes <= limits.answerBytes) return answer;
      const message = `the answer has ${bytes} bytes, at most ${limits.answerBytes} are sent`;
      throw new Refused('answer_too_large', message);
    } catch (error) {
      if (error instanceof Refused) throw error;
      log.error({ path, error: String(error) }, 'a read for a socket failed');
      throw new Refused('internal_error', 'the node failed to answer');
    } finally {
      cancel();
    }
  }

  /** The frame of an answer; its body is JSON text already and is copied as it is. */
  frameOf(id: FrameId, { status, body }: ReadAnswer): Buffer {
    const start = `{"type":"response","data":{"id":${JSON.stringify(id)},"status":${status},"body":`;
    return textFrame(Buffer.from(start), Buffer.from(body), END);
  }
}

/**
 * Waits until nothing more happens to a transaction. Final are `finalized`, and `failed` with `conflict` or `expired` in
 * a finalized cut. A transaction that the node dropped or found invalid ends the wait as well, and so does an id that the
 * node does not know for a while. The status stream of the node says when to ask; its frames are not signed, so the
 * answer itself is always read over HTTP. Without a stream the status is polled.
 */
import { ClientError } from './client-error.ts';
import type { RetryPolicy } from './http/retry.ts';
import type { Caller } from './http/transport.ts';
import type { AnswerOf, CallOptions } from './routes/route-types.ts';
import { connect, type SocketPorts } from './sockets/reconnect.ts';

/** How to wait where the node has no stream. */
export interface WaitOptions extends CallOptions {
  /** The time between two requests while there is no stream. */
  readonly pollMillis?: number;
  /** How often in a row the node may not know the transaction: a submission can be under way to it. */
  readonly unknownPollsMax?: number;
}

export interface WaitPorts {
  readonly reads: Caller;
  readonly policy: RetryPolicy;
  readonly sockets: SocketPorts;
  /** Such as `ws://127.0.0.1:28701`. */
  readonly socketBase: string;
}

type Status = AnswerOf<'transactionStatus'>;

const POLL_MILLIS = 500;
const UNKNOWN_POLLS_MAX = 20;
const SUBPROTOCOL = 'svc.transaction-status.v1';
/** The polling interval while a stream is open, in case that it stays silent. */
const STREAMED_POLL_MILLIS = 15_000;
/** A transaction may wait for long; a stream that is silent for longer is opened again. */
const SILENCE_MILLIS_MAX = 600_000;
/** Streams in a row without an event, after which only polling continues. */
const EMPTY_STREAMS_MAX = 3;

export async function waitFinal(
  ports: WaitPorts,
  id: string,
  options: WaitOptions = {},
): Promise<Status> {
  const { pollMillis = POLL_MILLIS, unknownPollsMax = UNKNOWN_POLLS_MAX, signal } = options;
  const ending = new AbortController();
  const stream = new StatusStream(ports, id, ending.signal);
  try {
    for (let unknown = 0; ; ) {
      try {
        const status = await ports.reads.call('transactionStatus', { id }, callOptions(signal));
        if (isFinal(status) || isLost(status)) return status;
        unknown = 0;
        stream.open();
      } catch (error) {
        if (!(error instanceof ClientError) || endsWait(error)) throw error;
        if (error.status === 404 && ++unknown >= unknownPollsMax) throw error;
      }
      await stream.untilWorthAsking(pollMillis, signal);
      if (signal?.aborted === true) throw new ClientError('aborted', 'the caller ended it');
    }
  } finally {
    ending.abort();
  }
}

function callOptions(signal: AbortSignal | undefined): CallOptions {
  return signal === undefined ? {} : { signal };
}

/** The stream of one transaction, opened again when it was lost. */
class StatusStream {
  readonly #ports: WaitPorts;
  readonly #url: string;
  readonly #signal: AbortSignal;
  #empty = 0;
  /** Whether a stream reported the end: what remains is to read it, and no further stream is opened. */
  #hasEnded = false;
  /** Aborted when the stream is over; absent while there is no stream. */
  #over: AbortController | undefined;

  constructor(ports: WaitPorts, id: string, signal: AbortSignal) {
    this.#ports = ports;
    this.#url = `${ports.socketBase}/v1/transactions/${id}/status/stream`;
    this.#signal = signal;
  }

  open(): void {
    if (this.#over !== undefined || this.#hasEnded || this.#empty >= EMPTY_STREAMS_MAX) return;
    const over = new AbortController();
    this.#over = over;
    void this.#read().then((hasTold) => {
      this.#empty = hasTold ? 0 : this.#empty + 1;
      this.#over = undefined;
      over.abort();
    });
  }

  /** Resolves when the stream reports the end, or when it is time to poll. */
  async untilWorthAsking(pollMillis: number, signal: AbortSignal | undefined): Promise<void> {
    const { sleep } = this.#ports.policy;
    const over = this.#over?.signal;
    if (over === undefined) return sleep(pollMillis, signal);
    const first = signal === undefined ? over : AbortSignal.any([over, signal]);
    await sleep(Math.max(pollMillis, STREAMED_POLL_MILLIS), first);
    if (over.aborted && !this.#hasEnded) await sleep(pollMillis, signal);
  }

  /** Resolves with whether a status arrived before the stream ended. */
  async #read(): Promise<boolean> {
    let hasTold = false;
    try {
      const frames = connect(this.#ports.sockets, {
        url: this.#url,
        protocol: SUBPROTOCOL,
        signal: this.#signal,
        silenceMillisMax: SILENCE_MILLIS_MAX,
      });
      for await (const { type, data } of frames) {
        if (type !== 'snapshot' && type !== 'update') break;
        hasTold = true;
        this.#hasEnded = isFinal(data as Status) || isLost(data as Status);
        if (this.#hasEnded) break;
      }
    } catch {
      // There are no sockets here, or no node behind them: the caller polls.
    }
    return hasTold;
  }
}

/** A refusal that asking again does not change, such as that of a malformed id. */
function endsWait({ kind, status }: ClientError): boolean {
  if (kind === 'aborted' || kind === 'unverified') return true;
  return kind === 'refused' && status !== 404 && status !== 429 && (status ?? 0) < 500;
}

/** The node does not try the transaction any more. Another node may, until it has expired. */
function isLost({ failure }: Status): boolean {
  return failure === 'dropped' || failure === 'invalid';
}

/** Whether a final cut has settled the transaction: paid, or never to be paid because of a conflict or its expiry. */
export function isFinal(status: Status): boolean {
  if (status.lifecycle === 'finalized') return true;
  const { failure, finalized_cut } = status;
  return (failure === 'conflict' || failure === 'expired') && finalized_cut !== null;
}

/**
 * Submits several transactions in one request: as bytes where the caller has them and the node takes them, as hexadecimal in
 * a document otherwise, and one by one where the node knows no such request.
 */
import type { ROUTES, SubmissionReceipt } from 'svc-api';
import { Writer } from 'svc-wasm/base';
import { ClientError, isBusy } from './client-error.ts';
import type { Caller } from './http/transport.ts';
import { BytesBody } from './routes/make-request.ts';
import type { CallOptions } from './routes/route-types.ts';
import {
  afterLostAnswer,
  hexOf,
  type Submission,
  type SubmissionOutcome,
  submitTransaction,
} from './submit.ts';

const MEDIA = 'application/vnd.svc.transactions' satisfies Media;
type Media = (typeof ROUTES)['transactionsSubmit']['bytes']['media'];
/** A node that knows no bytes answers with this status before it has read them. */
const UNKNOWN_MEDIA = 415;
/** The longest length of a transaction, written before it. */
const LENGTH_BYTES_MAX = 5;

export class BatchSubmissions {
  readonly #transport: Caller;
  /** Whether the node may take bytes; one that does not is not asked again. */
  #maySendBytes = true;

  constructor(transport: Caller) {
    this.#transport = transport;
  }

  /**
   * Submits several transactions in one request. Each has its own outcome, as `submitTransaction` would have it; what is wrong
   * with the request as a whole is the outcome of all.
   */
  async submit(
    submissions: readonly Submission[],
    options: CallOptions = {},
  ): Promise<PromiseSettledResult<SubmissionOutcome>[]> {
    const transport = this.#transport;
    let receipts: readonly SubmissionReceipt[];
    try {
      receipts = await this.#receipts(submissions, options);
    } catch (error) {
      // The refusal is about the request: the node has no such route, or the request is too long for it.
      if (isRequestRefused(error)) return await oneByOne(transport, submissions, options);
      const outcome = async ({ transaction_id }: Submission): Promise<SubmissionOutcome> =>
        await afterLostAnswer(transport, transaction_id, error, options);
      return await Promise.allSettled(submissions.map(outcome));
    }
    const outcomes = submissions.map(async (submission, at) => outcomeOf(submission, receipts[at]));
    return await Promise.allSettled(outcomes);
  }

  /** Sends bytes where all submissions have them and the node takes them; a refused request submitted nothing. */
  async #receipts(
    submissions: readonly Submission[],
    options: CallOptions,
  ): Promise<readonly SubmissionReceipt[]> {
    const bytes = this.#maySendBytes ? bytesOf(submissions) : undefined;
    if (bytes === undefined) return await this.#callInHex(submissions, options);
    try {
      return await this.#call(new BytesBody(MEDIA, bytes), options);
    } catch (error) {
      if (!isRequestRefused(error)) throw error;
      if (error.status === UNKNOWN_MEDIA) this.#maySendBytes = false;
    }
    const receipts = await this.#callInHex(submissions, options);
    // A proxy before the node may take documents only.
    this.#maySendBytes = false;
    return receipts;
  }

  #callInHex(submissions: readonly Submission[], options: CallOptions) {
    return this.#call({ wires_hex: submissions.map(hexOf) }, options);
  }

  async #call(input: object, options: CallOptions): Promise<readonly SubmissionReceipt[]> {
    const { receipts } = await this.#transport.call('transactionsSubmit', input, options);
    return receipts;
  }
}

/** Whether a request was refused for what it is, and not because the node is busy. */
function isRequestRefused(error: unknown): error is ClientError {
  return error instanceof ClientError && error.kind === 'refused' && !isBusy(error);
}

/** The body of a request in bytes: each transaction after its length. */
function bytesOf(submissions: readonly Submission[]): Uint8Array<ArrayBuffer> | undefined {
  const wires: Uint8Array[] = [];
  let length = 0;
  for (const submission of submissions) {
    if (!('wire' in submission)) return undefined;
    wires.push(submission.wire);
    length += LENGTH_BYTES_MAX + submission.wire.length;
  }
  const writer = new Writer(length);
  for (const wire of wires) writer.counted(wire);
  return writer.finish() as Uint8Array<ArrayBuffer>;
}

async function oneByOne(
  transport: Caller,
  submissions: readonly Submission[],
  options: CallOptions,
): Promise<PromiseSettledResult<SubmissionOutcome>[]> {
  const outcomes: PromiseSettledResult<SubmissionOutcome>[] = [];
  for (const submission of submissions) {
    outcomes.push(
      ...(await Promise.allSettled([submitTransaction(transport, submission, options)])),
    );
  }
  return outcomes;
}

function outcomeOf(
  { transaction_id }: Submission,
  receipt: SubmissionReceipt | undefined,
): SubmissionOutcome {
  const refusal = receipt?.refusal ?? null;
  if (refusal !== null) {
    const { error, retry_after_millis: retryAfterMillis, status } = refusal;
    const { message, ...about } = error;
    const wait = retryAfterMillis === undefined ? {} : { retryAfterMillis };
    throw new ClientError('refused', message, { status, ...about, ...wait });
  }
  const isMeant = receipt?.transaction_id === transaction_id;
  if (isMeant && receipt.result !== 'refused') return receipt.result;
  throw new ClientError('bad_answer', 'the server speaks of another transaction');
}

/**
 * Sends refusals: of the gate, of handlers, of the framework, and those of a node that fails.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from 'svc-api';
import type { Log } from 'svc-base/pure';
import { bytesOf } from 'svc-ledger';
import type { Services } from '../ports.ts';
import { type Refusal, refusalOf } from '../refusal.ts';
import { type Exchange, newExchange, type SendPorts, sendRefusal } from './answers.ts';
import type { ServedNode } from './routes/handler.ts';

/** Error codes for what fastify itself refuses. */
const FRAMEWORK_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_BAD_URL: 'bad_target',
};

const FAILED: Refusal = { code: 'internal_error', message: 'the node failed to answer' };

export class Refuser {
  readonly sending: SendPorts;
  readonly #served: Pick<ServedNode, 'last'>;
  readonly #log: Log;

  /** Identity and chain are the same for every node that is served. */
  constructor(
    served: Pick<ServedNode, 'last'>,
    { chain, identity, log }: Services,
    stuckMillis: number,
  ) {
    this.sending = { identity, chainId: bytesOf(chain.chainId), stuckMillis };
    this.#served = served;
    this.#log = log;
  }

  send(exchange: Exchange, refusal: Refusal): void {
    if (exchange.response.headersSent) {
      exchange.response.destroy();
      return;
    }
    const { height } = this.#served.last.services.chain.head;
    sendRefusal(exchange, refusal, { ...this.sending, height });
  }

  /** Answers with the refusal for an error that was thrown while a request was read or answered. */
  sendFault(exchange: Exchange, error: unknown): void {
    this.send(exchange, this.#refusalFor(exchange, error));
  }

  refuse(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): void {
    reply.hijack();
    this.send(exchangeOf(request, reply), refusal);
  }

  fail(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    reply.hijack();
    this.sendFault(exchangeOf(request, reply), error);
  }

  #refusalFor({ request }: Exchange, error: unknown): Refusal {
    const refusal = refusalOf(error);
    if (refusal !== undefined) return refusal;
    const code = FRAMEWORK_CODES[(error as Partial<FastifyError>).code ?? ''];
    if (code !== undefined) return { code, message: 'the request cannot be read' };
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const fields = { method: request.method ?? '', target: request.url ?? '', error: text };
    this.#log.error(fields, 'a request could not be answered');
    return FAILED;
  }
}

/** The framework may fail before the gate has seen a request. */
function exchangeOf(request: FastifyRequest, reply: FastifyReply): Exchange {
  return request.exchange ?? newExchange(request.raw, reply.raw);
}

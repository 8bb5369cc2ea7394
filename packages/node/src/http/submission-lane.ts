/**
 * Several transactions in bytes, past the framework: a wallet that pays much sends them all day, and the framework's
 * streams, hooks and schema cost as much as taking them does. Gate, budgets, limits and answer are those of the same route
 * with a document; that one, and whatever is not plainly this request, is left to the framework.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ROUTES } from 'svc-api';
import type { Refusal } from '../refusal/refused.ts';
import { outgoingOf } from './answers/answer.ts';
import { type Exchange, newExchange, sendAnswer } from './answers/exchange.ts';
import type { Gate } from './gate.ts';
import type { Refuser } from './refuser.ts';
import { BODY_BYTES_MAX } from './requests/json-body.ts';
import { readWires } from './requests/wires-body.ts';
import type { RoutePorts } from './routes/handler.ts';
import { submitWires } from './routes/transactions-submit.ts';
import type { ServedNode } from './served-node.ts';

const route = ROUTES.transactionsSubmit;
const TOO_LARGE: Refusal = { code: 'body_too_large', message: 'the request cannot be read' };

export class SubmissionLane {
  readonly #served: ServedNode;
  readonly #gate: Gate;
  readonly #refuser: Refuser;
  readonly #outgoing = outgoingOf(route);

  constructor(served: ServedNode, gate: Gate, refuser: Refuser) {
    this.#served = served;
    this.#gate = gate;
    this.#refuser = refuser;
  }

  /** Answers a submission in bytes; returns false if the framework has to answer. */
  tryAnswer(request: IncomingMessage, response: ServerResponse): boolean {
    const { headers, method, url } = request;
    const isMeant =
      method === 'POST' && url === route.path && headers['content-type'] === route.bytes.media;
    if (!isMeant) return false;
    const exchange = newExchange(request, response);
    const isTooLarge = Number(headers['content-length'] ?? 0) > BODY_BYTES_MAX;
    const refusal = this.#gate.checkBytes(exchange, route) ?? (isTooLarge ? TOO_LARGE : undefined);
    if (refusal !== undefined) {
      this.#refuser.send(exchange, refusal);
      return true;
    }
    // Other expectations were refused before.
    if (headers.expect !== undefined) response.writeContinue();
    this.#read(exchange);
    return true;
  }

  /** Answers once all of the body is there; a connection that ends before that has no answer. */
  #read(exchange: Exchange): void {
    const { request } = exchange;
    const parts: Buffer[] = [];
    let length = 0;
    request.on('data', (part: Buffer) => {
      length += part.length;
      if (length <= BODY_BYTES_MAX) {
        parts.push(part);
        return;
      }
      request.removeAllListeners('data').removeAllListeners('end').resume();
      this.#refuser.send(exchange, TOO_LARGE);
    });
    request.on('end', () => {
      exchange.body = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, length);
      this.#served
        .answer((ports) => this.#answer(ports, exchange))
        .catch((error: unknown) => this.#refuser.sendFault(exchange, error));
    });
    // The connection is closed then, and nobody is left to be told.
    request.on('error', () => {});
  }

  async #answer(ports: RoutePorts, exchange: Exchange): Promise<void> {
    const { body, client } = exchange;
    const wires = readWires(body);
    ports.guard.chargeRequest(client, route.weight.perItem * wires.length);
    const made = await submitWires(ports, client, wires);
    sendAnswer(exchange, this.#outgoing(made), this.#refuser.sending);
  }
}

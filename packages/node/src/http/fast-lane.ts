/**
 * The read that is asked for most, past the framework: what its routing and hooks do costs as much as all of the
 * rest. Gate, handler and answer are those of every other route; a request that is not plainly this one is left
 * to the framework.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ADDRESS_CHARACTERS_MAX, ROUTES } from 'svc-api';
import { outgoingOf } from './answers/answer.ts';
import { type Exchange, newExchange, type SendPorts, sendAnswer } from './answers/exchange.ts';
import type { Gate } from './gate.ts';
import type { KnownAnswer } from './reading/balance-memory.ts';
import type { Refuser } from './refuser.ts';
import { addressBalance } from './routes/address-balance.ts';
import type { AnswerOf, RoutePorts } from './routes/handler.ts';
import type { ServedNode } from './served-node.ts';

const START = '/v1/address/';
const END = '/balance';
const PLAIN = /^[A-Za-z0-9]+$/;
const route = ROUTES.addressBalance;

export class FastLane {
  readonly #served: ServedNode;
  readonly #gate: Gate;
  readonly #refuser: Refuser;
  readonly #sending: SendPorts;
  readonly #outgoing = outgoingOf(route);

  constructor(served: ServedNode, gate: Gate, refuser: Refuser) {
    this.#served = served;
    this.#gate = gate;
    this.#refuser = refuser;
    this.#sending = refuser.sending;
  }

  /** Answers a plain balance request; returns false if the framework has to answer. */
  tryAnswer(request: IncomingMessage, response: ServerResponse): boolean {
    const address = request.method === 'GET' ? addressIn(request.url as string) : undefined;
    const { ports } = this.#served;
    if (address === undefined || ports === undefined) return false;
    // What is remembered has been asked for in plain letters and digits.
    const known = ports.balances.answer(address);
    if (known === undefined && !PLAIN.test(address)) return false;
    const exchange = newExchange(request, response);
    const refusal = this.#gate.checkPlain(exchange, route);
    if (refusal !== undefined) this.#refuser.send(exchange, refusal);
    else if (known !== undefined) this.#sendKnown(exchange, known);
    else this.#answer(ports, exchange, address);
    return true;
  }

  #sendKnown(exchange: Exchange, known: KnownAnswer): void {
    try {
      this.#send(exchange, known);
    } catch (error) {
      this.#refuser.sendFault(exchange, error);
    }
  }

  #answer(ports: RoutePorts, exchange: Exchange, address: string): void {
    const request = { params: { address }, query: undefined, body: undefined } as const;
    const { client } = exchange;
    try {
      const made = addressBalance(ports, { ...request, client, accept: undefined });
      if (made instanceof Promise) {
        this.#served
          .hold(made)
          .then((answer) => this.#send(exchange, answer))
          .catch((error: unknown) => this.#refuser.sendFault(exchange, error));
      } else {
        this.#send(exchange, made);
      }
    } catch (error) {
      this.#refuser.sendFault(exchange, error);
    }
  }

  #send(exchange: Exchange, answer: AnswerOf<typeof route>): void {
    sendAnswer(exchange, this.#outgoing(answer), this.#sending);
  }
}

/** What stands for the address in a balance target, if it may be one; undefined for any other target. */
function addressIn(target: string): string | undefined {
  if (!target.startsWith(START) || !target.endsWith(END)) return undefined;
  const address = target.slice(START.length, -END.length);
  return address.length > 0 && address.length <= ADDRESS_CHARACTERS_MAX ? address : undefined;
}

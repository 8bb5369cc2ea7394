/**
 * Calls of `POST /v1/rpc` in the form that programs send them, answered without the framework, which takes as long for a
 * request as everything else that a listener does. Those that come whole are answered before (`WholeCalls`). It takes a request only when nothing of it can be refused before its
 * text is read; everything else, wrong tokens above all, goes the way of the framework and is refused there.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AccessControl, Grant } from './access.ts';
import type { RpcAnswer } from './dispatch.ts';
import { FAILED, refuseDirectly } from './refusals.ts';
import { BODY_BYTES_MAX, JSON_TYPE, RPC_PATH } from './usual-head.ts';

export interface DirectCallPorts {
  readonly access: Pick<AccessControl, 'find'>;
  /** Gives a connection that showed a valid token its place; false if there is none. */
  admit(socket: Socket): boolean;
  /** The answer to the text of a request; undefined if it holds notifications only. */
  answer(text: string, grant: Grant): Promise<RpcAnswer | RpcAnswer[] | undefined>;
  /** Called when an answer has been handed to the system. */
  readonly onReplied: (() => void) | undefined;
}

export class DirectCalls {
  readonly #ports: DirectCallPorts;

  constructor(ports: DirectCallPorts) {
    this.#ports = ports;
  }

  /** Answers a request, or leaves it untouched and says so. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.url !== RPC_PATH || request.method !== 'POST' || !hasShortJson(request))
      return false;
    const grant = this.#ports.access.find(request.headers.authorization);
    if (grant === undefined || !this.#ports.admit(request.socket)) return false;
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => void this.#answer(textOf(parts), grant, response));
    return true;
  }

  async #answer(text: string, grant: Grant, response: ServerResponse): Promise<void> {
    const { answer, onReplied } = this.#ports;
    if (onReplied !== undefined) response.once('finish', onReplied);
    try {
      const document = await answer(text, grant);
      send(response, document);
    } catch {
      refuseDirectly(response, FAILED);
    }
  }
}

/** Whether the body is JSON whose length is told and allowed: the parser of HTTP reads no more than that. */
function hasShortJson({ headers }: IncomingMessage): boolean {
  return (
    headers['content-type'] === JSON_TYPE && Number(headers['content-length']) <= BODY_BYTES_MAX
  );
}

function textOf(parts: readonly Buffer[]): string {
  const [only] = parts;
  return parts.length === 1 && only !== undefined
    ? only.toString('utf8')
    : Buffer.concat(parts).toString('utf8');
}

function send(response: ServerResponse, document: object | undefined): void {
  if (document === undefined) {
    response.writeHead(204, { 'cache-control': 'no-store' }).end();
    return;
  }
  const text = JSON.stringify(document);
  response
    .writeHead(200, {
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    .end(text);
}

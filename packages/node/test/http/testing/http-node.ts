/**
 * A node's HTTP API on a port of its own, over a real chain, and a client that speaks to it.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { TestContext } from 'node:test';
import type { ErrorDocument, Route } from 'svc-api';
import { type HttpOptions, HttpServer } from 'svc-serve';
import type { Static } from 'typebox';
import { Errors } from 'typebox/value';
import { ServicesFixture, type ServicesOptions } from '../../../src/testing/services-fixture.ts';

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

export function errorOf(received: Received): ErrorDocument['error'] {
  return (JSON.parse(received.text) as ErrorDocument).error;
}

export interface SendOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

const DEFAULTS: HttpOptions = {
  host: '127.0.0.1',
  port: 0,
  profile: 'node',
  publicNames: [],
  browserOrigins: [],
  trustedProxies: [],
};

export class HttpNode {
  readonly services: ServicesFixture;
  readonly server: HttpServer;

  constructor(services: ServicesFixture, server: HttpServer) {
    this.services = services;
    this.server = server;
  }

  static async start(
    t: Pick<TestContext, 'after'>,
    options: Partial<HttpOptions> = {},
    services?: ServicesFixture | ServicesOptions,
  ): Promise<HttpNode> {
    const given = services instanceof ServicesFixture;
    const fixture = given ? services : await ServicesFixture.create(services);
    const server = await HttpServer.start(fixture, { ...DEFAULTS, ...options });
    t.after(async () => {
      await server.close();
      if (!given) await fixture.close();
    });
    return new HttpNode(fixture, server);
  }

  get port(): number {
    return this.server.port;
  }

  async send(target: string, options: SendOptions = {}): Promise<Received> {
    const { method = options.body === undefined ? 'GET' : 'POST', headers = {}, body } = options;
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const request = httpRequest({
      host: '127.0.0.1',
      port: this.port,
      method,
      path: target,
      headers: { ...type, ...headers },
      agent: false,
    });
    request.end(body);
    const [response] = await once(request, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const text = bytes.toString('utf8');
    return { status: response.statusCode, headers: response.headers, bytes, text };
  }

  get(target: string, headers?: Record<string, string>): Promise<Received> {
    return this.send(target, headers === undefined ? {} : { headers });
  }

  post(target: string, document: unknown, headers: Record<string, string> = {}): Promise<Received> {
    return this.send(target, { body: JSON.stringify(document), headers });
  }

  /** Calls a route of the table; the answer must be 200 and fit the schema of the route. */
  async call<R extends Route>(route: R, request: CallOptions = {}): Promise<Static<R['answer']>> {
    const received = await this.send(targetOf(route, request), {
      ...(request.headers === undefined ? {} : { headers: request.headers }),
      ...(request.body === undefined
        ? {}
        : { body: JSON.stringify({ api_version: 1, ...request.body }) }),
    });
    assert.equal(received.status, 200, received.text);
    const isJson = route.media === 'application/json';
    const answer: unknown = isJson ? JSON.parse(received.text) : received.text;
    assert.match(
      received.headers['content-type'] ?? '',
      new RegExp(`^${route.media}; charset=utf-8$`),
    );
    const faults = Errors(route.answer, answer);
    assert.deepEqual(faults, [], `${route.name}: ${JSON.stringify(faults)}`);
    return answer as Static<R['answer']>;
  }
}

export interface CallOptions {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Without `api_version`. */
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

export function targetOf({ path }: Route, { params = {}, query = {} }: CallOptions): string {
  const filled = path.replace(/\{([a-z]+)\}/g, (_, name: string) => String(params[name]));
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  if (pairs.length === 0) return filled;
  return `${filled}?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`;
}

/**
 * A node's HTTP API on a port of its own, over a real chain, and a client that speaks to it.
 */
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { TestContext } from 'node:test';
import { HttpServer } from '../../../src/http/http-server.ts';
import type { HttpOptions } from '../../../src/http/options.ts';
import { ServicesFixture, type ServicesOptions } from '../../../src/testing/services-fixture.ts';

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON. */
  readonly json: Document;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape.
export type Document = any;

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

  private constructor(services: ServicesFixture, server: HttpServer) {
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
    return {
      status: response.statusCode,
      headers: response.headers,
      bytes,
      text,
      get json() {
        return JSON.parse(text);
      },
    };
  }

  get(target: string, headers?: Record<string, string>): Promise<Received> {
    return this.send(target, headers === undefined ? {} : { headers });
  }

  post(target: string, document: unknown, headers: Record<string, string> = {}): Promise<Received> {
    return this.send(target, { body: JSON.stringify(document), headers });
  }
}

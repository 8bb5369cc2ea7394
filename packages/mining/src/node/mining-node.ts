/**
 * One node's mining listener: templates, candidates, the chain it follows, and an event for every finalized cut.
 */
import { Agent, request } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import type { CandidateDocument, MiningChainDocument, MiningEvent, SyncDocument } from 'svc-api';
import type { Clock } from 'svc-base/pure';
import { askJson, type JsonAnswer, type JsonRequest } from './http-json.ts';
import type { JobTemplate, TemplateReader } from './template-reader.ts';

/** The node answered, and the answer is no. */
export class NodeRefusal extends Error {
  override readonly name = 'NodeRefusal';
  readonly code: string;
  readonly status: number;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface TemplateRequest {
  readonly payout: string;
  readonly tag: string;
}

export interface EventHandlers {
  readonly onCut: (event: MiningEvent['data']) => void;
  /** Called once, when no more events come. */
  readonly onEnd: (reason: string) => void;
}

const TIMEOUT_MILLIS = 10_000;
/** The node sends a sign of life every fifteen seconds. */
const SILENCE_MILLIS = 45_000;
const TRANSACTIONS_MAX = 1_024;
const EVENT_BYTES_MAX = 64 << 10;

export class MiningNode {
  readonly url: URL;
  readonly #clock: Clock;
  readonly #reader: TemplateReader | undefined;
  readonly #place: JsonRequest['place'];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  /** Without a reader, templates are read on this thread. */
  constructor(url: URL, clock: Clock, reader?: TemplateReader) {
    this.url = url;
    this.#reader = reader;
    const { hostname, port } = urlToHttpOptions(url);
    this.#place = { hostname, port };
    this.#clock = clock;
  }

  chain(): Promise<MiningChainDocument> {
    return this.#ask<MiningChainDocument>('/v1/mining/chain');
  }

  sync(): Promise<SyncDocument> {
    return this.#ask<SyncDocument>('/v1/node/sync');
  }

  async template({ payout, tag }: TemplateRequest): Promise<JobTemplate> {
    const body = { payout, max_transactions: TRANSACTIONS_MAX, miner_tag: tag };
    const order = this.#request('/v1/mining/templates', body);
    const answer = this.#reader?.read(order) ?? askJson({ ...order, agent: this.#agent });
    return contentOf(await answer);
  }

  submit(headerHex: string, bodyHex: string): Promise<CandidateDocument> {
    const body = { header_hex: headerHex, body_hex: bodyHex };
    return this.#ask<CandidateDocument>('/v1/mining/candidates', body);
  }

  /** Follows the finalized cuts until the connection ends; returns a function that ends it. */
  follow({ onCut, onEnd }: EventHandlers): () => void {
    let isOver = false;
    let stopWatch = (): void => {};
    const outgoing = request(new URL('/v1/events', this.url), { agent: false });
    const end = (reason: string): void => {
      if (isOver) return;
      isOver = true;
      stopWatch();
      outgoing.destroy();
      onEnd(reason);
    };
    const watch = (): void => {
      stopWatch();
      stopWatch = this.#clock.after(SILENCE_MILLIS, () => end('the node is silent'));
    };
    watch();
    outgoing.on('error', (error) => end(error.message));
    outgoing.on('response', (incoming) => {
      if (incoming.statusCode !== 200) end(`the node answered ${incoming.statusCode}`);
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (part: string) => {
        if (isOver) return;
        watch();
        text += part;
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        if (text.length > EVENT_BYTES_MAX) end('an event of the node is too long');
        for (const event of events) tell(event, onCut);
      });
      incoming.on('close', () => end('the node closed the connection'));
      incoming.on('error', (error) => end(error.message));
    });
    outgoing.end();
    return () => {
      isOver = true;
      stopWatch();
      outgoing.destroy();
    };
  }

  close(): void {
    this.#agent.destroy();
  }

  async #ask<T>(path: string, body?: unknown): Promise<T> {
    return contentOf(await askJson({ ...this.#request(path, body), agent: this.#agent }));
  }

  #request(path: string, body?: unknown): Omit<JsonRequest, 'agent'> {
    const content = body === undefined ? {} : { body };
    return { place: this.#place, path, timeoutMillis: TIMEOUT_MILLIS, ...content };
  }
}

function contentOf<T>({ status, document }: JsonAnswer): T {
  if (status === 200) return document as T;
  const { error } = document as { error?: { code?: string; message?: string } };
  throw new NodeRefusal(status, error?.code ?? 'unknown', error?.message ?? `status ${status}`);
}

function tell(event: string, onCut: EventHandlers['onCut']): void {
  const line = event.split('\n').find((each) => each.startsWith('data: '));
  if (line === undefined) return;
  const { type, data } = JSON.parse(line.slice('data: '.length)) as MiningEvent;
  if (type === 'cut_finalized') onCut(data);
}

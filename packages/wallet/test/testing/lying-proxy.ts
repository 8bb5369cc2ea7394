/**
 * A proxy in front of a real node that changes what the node answers, as a test tells it. It keeps nothing back by itself.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CutChange, HTTP_ERRORS } from 'svc-api';
import { decodeAddress, encodeAddress, fromHex, Reader, toHex } from 'svc-wasm/base';
import {
  CHANGE_BYTES,
  type ChangeLeaf,
  encodeChangeLeaves,
  readChangeLeaf,
} from 'svc-wasm/protocol';

/** Changes an answer of the node; `path` is without the query. */
export type Lie = (document: Record<string, unknown>, path: string) => unknown;

/** A change of an address, or an output, in an answer. */
export interface Row {
  readonly kind?: string;
  readonly address?: string;
  readonly outpoint?: { readonly transaction_id: string; readonly output_index: number };
}

/** Changes every list of changes and outputs in an answer, and the leaves of cuts. */
export function eachList(change: (rows: readonly Row[]) => readonly Row[]): Lie {
  return (document) =>
    JSON.parse(JSON.stringify(document), (key, value: unknown) => {
      if (key === 'leaves_base64') return changedLeaves(String(value), change);
      const isList = (key === 'changes' || key === 'utxos') && Array.isArray(value);
      return isList ? change(value as Row[]) : value;
    });
}

function changedLeaves(base64: string, change: (rows: readonly Row[]) => readonly Row[]): string {
  const bytes = Buffer.from(base64, 'base64');
  const rows = Array.from({ length: bytes.length / CHANGE_BYTES }, (_, at) =>
    rowOf(bytes.subarray(at * CHANGE_BYTES, (at + 1) * CHANGE_BYTES)),
  );
  const leaves = change(rows).map((row, index) => leafOf({ index, ...row } as CutChange));
  leaves.sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0));
  return Buffer.concat(encodeChangeLeaves(leaves)).toString('base64');
}

function rowOf(bytes: Uint8Array): Row {
  const { outpoint, transactionId, ...leaf } = readChangeLeaf(new Reader(bytes, 'leaf'));
  const { amount, index, kind, source } = leaf;
  const row: CutChange = {
    ...{ index, kind, source, amount: String(amount), transaction_id: transactionId },
    address: encodeAddress(fromHex(leaf.address), 'development'),
    outpoint: {
      transaction_id: outpoint.slice(0, -8),
      output_index: Number.parseInt(outpoint.slice(-8), 16),
    },
  };
  return row;
}

function leafOf({ outpoint, transaction_id, ...row }: CutChange): ChangeLeaf {
  const index = outpoint.output_index.toString(16).padStart(8, '0');
  return {
    ...{ index: row.index, kind: row.kind, source: row.source, amount: BigInt(row.amount) },
    address: toHex(decodeAddress(row.address, 'development')),
    outpoint: `${outpoint.transaction_id}${index}`,
    transactionId: transaction_id,
  };
}

/** Thrown by a lie: the node is said not to keep it. */
export class NotKept extends Error {}

export class LyingProxy {
  readonly #server: Server;
  readonly #target: string;
  #lie: Lie = (document) => document;

  static async start(target: string): Promise<LyingProxy> {
    const proxy = new LyingProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((request, response) => {
      void this.#answer(request, response).catch(() => response.destroy());
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  tell(lie: Lie): void {
    this.#lie = lie;
  }

  tellTruth(): void {
    this.#lie = (document) => document;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #told({ ok, status }: Response, document: Record<string, unknown>, path: string) {
    try {
      return { status, told: ok ? this.#lie(document, path) : document };
    } catch (error) {
      if (!(error instanceof NotKept)) throw error;
      const refusal = { code: 'not_kept', message: 'not kept' };
      return { status: HTTP_ERRORS.not_kept.status, told: { api_version: 1, error: refusal } };
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const answered = await fetch(`${this.#target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      ...(request.method === 'POST' ? { body: new Uint8Array(Buffer.concat(parts)) } : {}),
    });
    const document = (await answered.json()) as Record<string, unknown>;
    const { status, told } = this.#told(answered, document, request.url?.split('?')[0] ?? '');
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(told));
  }
}

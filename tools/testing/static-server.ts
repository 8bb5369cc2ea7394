/**
 * A web server on loopback for browser tests: the files of one folder with their media types, and
 * answers with which a test replaces single paths, as of a misconfigured server.
 */
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, sep } from 'node:path';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

export interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly body: string | Uint8Array;
}

export interface StaticServer {
  readonly url: string;
  /** Requested paths so far, in order. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

function fileAnswer(folder: string, path: string): Answer {
  const file = join(folder, normalize(path));
  const inside = file.startsWith(folder.endsWith(sep) ? folder : folder + sep);
  if (!inside || statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    return { status: 404, type: 'text/html; charset=utf-8', body: '<!doctype html>not found' };
  }
  return { type: MEDIA_TYPES[extname(file)] ?? 'text/plain', body: readFileSync(file) };
}

export async function serveFolder(
  folder: string,
  overrides: Readonly<Record<string, Answer>> = {},
): Promise<StaticServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    requests.push(path);
    const answer = overrides[path] ?? fileAnswer(folder, path);
    response.writeHead(answer.status ?? 200, {
      'content-type': answer.type ?? 'text/html; charset=utf-8',
    });
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

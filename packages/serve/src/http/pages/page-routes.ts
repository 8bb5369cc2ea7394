/**
 * Serves the page: one document for every screen below `/ui`, and the files it names. All of it is in memory; nothing of
 * a request becomes the name of a file.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { formOf, type PageFile, type PageFiles } from 'svc-page/files';
import { commonHeaders } from '../answers/headers.ts';

const ASSETS = '/ui/assets/';
/** The names of assets change with what is in them; the document is asked for again. */
const ASSET_CACHING = 'public, max-age=31536000, immutable';
const SHELL_CACHING = 'no-cache';

export function addPageRoutes(app: FastifyInstance, page: PageFiles): void {
  const { shell, assets, policy } = page;
  const answer = (request: FastifyRequest, response: ServerResponse): boolean => {
    const path = (request.raw.url ?? '').split('?')[0] as string;
    if (!path.startsWith(ASSETS)) {
      send(request, response, shell, { caching: SHELL_CACHING, policy });
      return true;
    }
    const asset = assets.get(path.slice(ASSETS.length));
    if (asset === undefined) return false;
    send(request, response, asset, { caching: ASSET_CACHING, policy });
    return true;
  };
  for (const url of ['/ui', '/ui/*']) {
    app.get(url, (request, reply) => {
      if (answer(request, reply.raw)) reply.hijack();
      else reply.callNotFound();
    });
  }
}

function send(
  { raw }: FastifyRequest,
  response: ServerResponse,
  file: PageFile,
  { caching, policy }: { readonly caching: string; readonly policy: string },
): void {
  const [body, encoding] = formOf(file, String(raw.headers['accept-encoding'] ?? ''));
  const headers = commonHeaders({ media: file.media, caching, vary: 'accept-encoding', policy });
  response.writeHead(200, [
    ...headers,
    'content-length',
    String(body.length),
    ...(encoding === undefined ? [] : ['content-encoding', encoding]),
  ]);
  if (raw.method === 'HEAD') response.end();
  else response.end(body);
}

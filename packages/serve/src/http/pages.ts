/**
 * What browsers are served: the first page, which lists every route, and the files of the page below `/ui`.
 */
import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type ChainHead,
  type OfferedRoute,
  type OfferedSocket,
  ROUTE_GROUPS,
  ROUTE_LIST,
  type RouteList,
} from 'svc-api';
import { formOf, type PageFile, type PageFiles } from 'svc-page/files';
import { commonHeaders } from './answers.ts';

const PAGE_STYLE = `
:root{color-scheme:light dark;--ink:#16211f;--soft:#5a6a66;--line:#dde5e2;--paper:#fbfcfb;--card:#fff;--accent:#0f766e;--post:#9a3412;--tint:#eef6f4}
@media(prefers-color-scheme:dark){:root{--ink:#e3ebe8;--soft:#93a5a0;--line:#26322f;--paper:#0e1413;--card:#141c1a;--accent:#5eead4;--post:#fdba74;--tint:#16231f}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:68rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.9rem;margin:0;letter-spacing:-.02em}
h2{font-size:1.05rem;margin:2.5rem 0 .75rem;text-transform:capitalize;scroll-margin-top:1rem}
nav{display:flex;flex-wrap:wrap;gap:.4rem;margin:1.25rem 0 0}
nav a{padding:.15rem .7rem;border:1px solid var(--line);border-radius:1rem;background:var(--card);font-size:.85rem;text-decoration:none;text-transform:capitalize}
nav a:hover{background:var(--tint)}
p{margin:.4rem 0 0;color:var(--soft)}
a{color:var(--accent)}
code,dd,.path{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.86rem;font-variant-numeric:tabular-nums}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.75rem;margin:1.75rem 0 0}
dl div{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.7rem .9rem}
dl .wide{grid-column:span 2}
dt{color:var(--soft);font-size:.8rem}
dd{margin:.15rem 0 0;overflow-wrap:anywhere}
ul{list-style:none;margin:0;padding:0;background:var(--card);border:1px solid var(--line);border-radius:.6rem}
li{display:grid;grid-template-columns:3.6rem minmax(0,1fr);gap:.25rem .75rem;padding:.65rem .9rem;border-top:1px solid var(--line)}
li:first-child{border-top:0}
li:hover{background:var(--tint)}
.method{font:600 .72rem/1.9 ui-monospace,monospace;color:var(--accent);letter-spacing:.04em}
.post{color:var(--post)}
.path{overflow-wrap:anywhere;text-decoration:none}
a:hover{text-decoration:underline}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:.2rem}
.about{grid-column:2;color:var(--soft);font-size:.9rem}
.mark{border:1px solid var(--line);border-radius:1rem;font-size:.7rem;padding:.05rem .5rem;margin-left:.4rem;color:var(--soft);white-space:nowrap}
p .explorer{display:inline-block;margin-top:.6rem;padding:.45rem 1rem;border-radius:.5rem;background:var(--accent);color:var(--paper);font-weight:600;text-decoration:none}
footer{margin-top:2.5rem;color:var(--soft);font-size:.9rem}
@media(max-width:36rem){main{padding-top:1.5rem}dl{grid-template-columns:repeat(2,1fr);gap:.5rem}}
`;

const SOCKETS = 'sockets';
const STYLE_HASH = hash('sha256', PAGE_STYLE, 'base64');
/** The icon shows two strata and a cut through them. Without it browsers ask for a file. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0f766e"/><path d="M3 6h10M3 10h10" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/><path d="M10.5 3l-5 10" stroke="#5eead4" stroke-width="1.6" stroke-linecap="round"/></svg>',
)}`;

const EXPLORER = '\n<p><a class="explorer" href="/ui">Open the explorer</a></p>';

export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * The first page: what this node is, how far it is, and every route it offers. It is whole without scripts.
 */
export function rootPage(list: RouteList, head: ChainHead, hasExplorer: boolean): string {
  const network = escapeHtml(list.network);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc node · ${network}</title>
<link rel="icon" href="${ICON}">
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<h1>svc node</h1>
<p>A node of the ${network} network. No key, no account: every route below can be called as it stands.</p>${hasExplorer ? EXPLORER : ''}
<dl>
${fact('Finalized height', head.cut.height.toLocaleString('en'))}
${fact('Finalized at', timeText(head.time_millis))}
${fact('Epoch', head.epoch.toLocaleString('en'))}
${fact('Release', list.version)}
${fact('Cut', head.cut.cut_id, 'wide')}
${fact('Chain', list.chain_id, 'wide')}
</dl>
<nav aria-label="Groups of routes">${[...ROUTE_GROUPS, SOCKETS].map(jump).join('')}</nav>
${ROUTE_GROUPS.map((group) => section(group, routesOf(list, group))).join('\n')}
${heading(SOCKETS)}
<ul>
${list.sockets.map(socketItem).join('\n')}
</ul>
<footer>This list as <a href="/?format=json">JSON</a> · <a href="/openapi.json">OpenAPI</a> · <a href="/asyncapi.json">AsyncAPI</a> · <a href="/llms.txt">llms.txt</a> · <a href="/llms-full.txt">llms-full.txt</a></footer>
</main>
</body>
</html>
`;
}

function fact(name: string, value: string, kind = ''): string {
  return `<div class="${kind}"><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`;
}

function timeText(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function jump(group: string): string {
  return `<a href="#${group}">${group}</a>`;
}

function heading(group: string): string {
  return `<h2 id="${group}">${group}</h2>`;
}

function routesOf({ routes }: RouteList, group: string): OfferedRoute[] {
  const names = new Set(
    ROUTE_LIST.filter((route) => route.group === group).map(({ method, path }) => method + path),
  );
  return routes.filter(({ method, path }) => names.has(method + path));
}

function section(group: string, routes: readonly OfferedRoute[]): string {
  return `${heading(group)}\n<ul>\n${routes.map(routeItem).join('\n')}\n</ul>`;
}

function routeItem({ method, path, summary, parameters, limits, extension }: OfferedRoute): string {
  const isOpen = method === 'GET' && parameters.every(({ required }) => !required);
  const shown = escapeHtml(path);
  const link = isOpen
    ? `<a class="path" href="${shown}">${shown}</a>`
    : `<span class="path">${shown}</span>`;
  const marks = [
    ...(extension ? ['extension'] : []),
    ...(limits.maximum_page === undefined ? [] : [`up to ${limits.maximum_page} rows`]),
    ...(limits.maximum_batch === undefined ? [] : [`up to ${limits.maximum_batch} at once`]),
  ];
  return item(method, `${link}${marks.map(mark).join('')}`, summary);
}

function socketItem({ path, subprotocol, summary }: OfferedSocket): string {
  return item('WS', `<span class="path">${escapeHtml(path)}</span>${mark(subprotocol)}`, summary);
}

function item(method: string, what: string, summary: string): string {
  const kind = method === 'POST' ? 'method post' : 'method';
  return `<li><span class="${kind}">${method}</span><span>${what}</span><span class="about">${prose(summary)}</span></li>`;
}

/** Text between backticks becomes code. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function mark(text: string): string {
  return `<span class="mark">${escapeHtml(text)}</span>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Everything that did not come from this program passes through here. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

const ASSETS = '/ui/assets/';
/** The names of assets change with what is in them; the document is asked for again. */
const ASSET_CACHING = 'public, max-age=31536000, immutable';
const SHELL_CACHING = 'no-cache';

/**
 * Serves the page: one document for every screen below `/ui`, and the files it names. All of it is in memory; nothing of
 * a request becomes the name of a file.
 */
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

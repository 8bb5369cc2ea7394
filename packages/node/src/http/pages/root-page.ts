/**
 * The first page: what this node is, how far it is, and every route it offers. It is whole without scripts.
 */
import { hash } from 'node:crypto';
import type { ChainHead, OfferedRoute, OfferedSocket, RouteList } from 'svc-api';
import { ROUTE_GROUPS, ROUTE_LIST } from 'svc-api';
import { escapeHtml } from './escape-html.ts';
import { PAGE_STYLE } from './page-style.ts';

const STYLE_HASH = hash('sha256', PAGE_STYLE, 'base64');

export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export function rootPage(list: RouteList, head: ChainHead): string {
  const network = escapeHtml(list.network);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc node · ${network}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<h1>svc node</h1>
<p>A node of the ${network} network. No key, no account: every route below can be called as it stands.</p>
<dl>
${fact('Finalized height', String(head.cut.height))}
${fact('Finalized at', new Date(head.time_millis).toISOString())}
${fact('Epoch', String(head.epoch))}
${fact('Release', list.version)}
${fact('Cut', head.cut.cut_id)}
${fact('Chain', list.chain_id)}
</dl>
${ROUTE_GROUPS.map((group) => section(group, routesOf(list, group))).join('\n')}
<h2>Sockets</h2>
<ul>
${list.sockets.map(socketItem).join('\n')}
</ul>
<footer>This list as <a href="/?format=json">JSON</a> · <a href="/openapi.json">OpenAPI</a> · <a href="/asyncapi.json">AsyncAPI</a> · <a href="/llms.txt">llms.txt</a></footer>
</main>
</body>
</html>
`;
}

function fact(name: string, value: string): string {
  return `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`;
}

function routesOf({ routes }: RouteList, group: string): OfferedRoute[] {
  const names = new Set(
    ROUTE_LIST.filter((route) => route.group === group).map(({ method, path }) => method + path),
  );
  return routes.filter(({ method, path }) => names.has(method + path));
}

function section(group: string, routes: readonly OfferedRoute[]): string {
  return `<h2>${group}</h2>\n<ul>\n${routes.map(routeItem).join('\n')}\n</ul>`;
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
  return `<li><span class="${kind}">${method}</span><span>${what}</span><span class="about">${escapeHtml(summary)}</span></li>`;
}

function mark(text: string): string {
  return `<span class="mark">${escapeHtml(text)}</span>`;
}

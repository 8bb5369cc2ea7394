/**
 * The first page: what this node is, how far it is, and every route it offers. It is whole without scripts.
 */
import { hash } from 'node:crypto';
import type { ChainHead, OfferedRoute, OfferedSocket, RouteList } from 'svc-api';
import { ROUTE_GROUPS, ROUTE_LIST } from 'svc-api';
import { PAGE_STYLE } from './page-style.ts';

const SOCKETS = 'sockets';
const STYLE_HASH = hash('sha256', PAGE_STYLE, 'base64');
/** The icon shows two strata and a cut through them. Without it browsers ask for a file. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0f766e"/><path d="M3 6h10M3 10h10" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/><path d="M10.5 3l-5 10" stroke="#5eead4" stroke-width="1.6" stroke-linecap="round"/></svg>',
)}`;

const EXPLORER = '\n<p><a class="explorer" href="/ui">Open the explorer</a></p>';

export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

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

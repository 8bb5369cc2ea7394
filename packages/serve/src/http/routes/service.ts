/**
 * What a node offers as a whole: the list of routes, as a page for browsers that prefer one; health and readiness; and
 * the descriptions, made once for a release. `llms-full.txt` joins documents that a released package carries beside its
 * code.
 */
import { readFileSync } from 'node:fs';
import {
  asyncApiDocument,
  llmsText,
  type OfferedRoute,
  openapiDocument,
  ROUTE_LIST,
  type Route,
  type RouteList,
  SOCKET_ENDPOINTS,
  type TroubleDocument,
} from 'svc-api';
import type { TObject } from 'typebox';
import { Refused } from '../../refusal.ts';
import { HTML_MEDIA } from '../answers.ts';
import { PAGE_POLICY, rootPage } from '../pages.ts';
import { headDocument } from './chain.ts';
import type { Handler, RoutePorts } from './handler.ts';

const VARY = { vary: 'accept' } as const;

export const root: Handler<'root'> = ({ services, readers, hasPage }, { query, accept }) =>
  readers.read(async (snapshot) => {
    const { height } = snapshot;
    const head = await headDocument(services.chain, snapshot);
    const document: RouteList = {
      api_version: 1,
      version: services.version,
      network: head.network,
      chain_id: head.chain_id,
      finalized_height: height,
      routes: OFFERED_ROUTES,
      sockets: Object.values(SOCKET_ENDPOINTS).map((endpoint) => ({ ...endpoint })),
    };
    if (query.format === 'json' || !prefersHtml(accept)) return { height, document, headers: VARY };
    const text = rootPage(document, head, hasPage);
    return { height, text, headers: { ...VARY, media: HTML_MEDIA, policy: PAGE_POLICY } };
  });

const OFFERED_ROUTES: OfferedRoute[] = ROUTE_LIST.map((route) => ({
  method: route.method,
  path: route.path,
  summary: route.summary,
  parameters: [
    ...parametersOf(route.params, 'path'),
    ...parametersOf(route.query, 'query'),
    ...parametersOf(route.body, 'body'),
  ],
  limits: limitsOf(route),
  extension: route.extension,
}));

function parametersOf(
  schema: TObject | undefined,
  where: OfferedRoute['parameters'][number]['in'],
): OfferedRoute['parameters'] {
  if (schema === undefined) return [];
  const required = new Set<string>(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description } = property as { description?: string };
    return {
      name,
      in: where,
      required: required.has(name),
      ...(description === undefined ? {} : { description }),
    };
  });
}

function limitsOf({ page, batch }: Route): OfferedRoute['limits'] {
  return {
    ...(page === undefined ? {} : { default_page: page.default, maximum_page: page.maximum }),
    ...(batch === undefined ? {} : { maximum_batch: batch.maximum }),
  };
}

const ACCEPT_CHARACTERS_MAX = 1_024;

/** Whether a client would rather have a page than JSON. Browsers name `text/html`; programs accept anything. */
function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined || accept.length > ACCEPT_CHARACTERS_MAX) return false;
  const html = qualityOf(accept, 'text/html');
  return html > 0 && html >= qualityOf(accept, 'application/json');
}

function qualityOf(accept: string, media: string): number {
  for (const part of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map((item) => item.trim());
    if (name !== media) continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    const value = quality === undefined ? 1 : Number(quality.slice(2));
    return value >= 0 && value <= 1 ? value : 0;
  }
  return 0;
}

export const health: Handler<'health'> = ({ services }) => ({
  height: services.chain.head.height,
  text: 'ok',
});

const RETRY_MILLIS = 1_000;

export const ready: Handler<'ready'> = ({ services }) => {
  const troubles = services.troubles();
  const lines = troubles.map(lineOf);
  if (troubles.some(({ refuses_ready: refuses }) => refuses))
    throw new Refused('not_synced', lines.join('; '), { retryAfterMillis: RETRY_MILLIS });
  return { height: services.chain.head.height, text: ['ready', ...lines].join('\n') };
};

function lineOf({ name, message }: TroubleDocument): string {
  return `${name}: ${message}`;
}

/** Remembers a text by the release that it was made for. */
function once(make: (version: string) => string): (ports: RoutePorts) => string {
  let made: { readonly version: string; readonly text: string } | undefined;
  return ({ services: { version } }) => {
    if (made?.version !== version) made = { version, text: make(version) };
    return made.text;
  };
}

const openapiText = once((version) => JSON.stringify(openapiDocument(ROUTE_LIST, { version })));
const asyncapiText = once((version) => JSON.stringify(asyncApiDocument(version)));
const llms = once(() => llmsText(ROUTE_LIST));
/** What a program needs to know to use this project. The packer copies each file that is named in this form. */
const DOCUMENTS = [
  new URL('../../../../../docs/integrate/packages.md', import.meta.url),
  new URL('../../../../../docs/integrate/client.md', import.meta.url),
  new URL('../../../../../docs/integrate/svc-wasm.md', import.meta.url),
  new URL('../../../../../docs/integrate/browser-wallet.md', import.meta.url),
  new URL('../../../../../docs/integrate/light-client.md', import.meta.url),
  new URL('../../../../../docs/integrate/testing.md', import.meta.url),
  new URL('../../../../../docs/integrate/sign-in.md', import.meta.url),
  new URL('../../../../../docs/integrate/payment-links.md', import.meta.url),
  new URL('../../../../../docs/integrate/offline-signing.md', import.meta.url),
  new URL('../../../../../docs/reference/dev-control.md', import.meta.url),
  new URL('../../../../../docs/reference/client.md', import.meta.url),
  new URL('../../../../../docs/reference/http.md', import.meta.url),
  new URL('../../../../../docs/reference/json-rpc.md', import.meta.url),
];

const llmsFull = once(() => {
  const documents = DOCUMENTS.map((document) => readFileSync(document, 'utf8').trimEnd());
  return `${[llmsText(ROUTE_LIST).trimEnd(), ...documents].join('\n\n---\n\n')}\n`;
});

export const openapiJson: Handler<'openapiJson'> = (ports) => ({
  height: ports.services.chain.head.height,
  text: openapiText(ports),
});

export const asyncapiJson: Handler<'asyncapiJson'> = (ports) => ({
  height: ports.services.chain.head.height,
  text: asyncapiText(ports),
});

export const llmsTxt: Handler<'llmsTxt'> = (ports) => ({
  height: ports.services.chain.head.height,
  text: llms(ports),
});

export const llmsFullTxt: Handler<'llmsFullTxt'> = (ports) => ({
  height: ports.services.chain.head.height,
  text: llmsFull(ports),
});

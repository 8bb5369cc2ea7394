/**
 * `GET /openapi.json`, `/asyncapi.json`, `/llms.txt` and `/llms-full.txt`: made once for a release. The last one joins the
 * documents below, which a released package carries beside its code.
 */
import { readFileSync } from 'node:fs';
import { asyncApiDocument, llmsText, openapiDocument, ROUTE_LIST, type ROUTES } from 'svc-api';
import type { Handler, RoutePorts } from './handler.ts';

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

export const openapiJson: Handler<typeof ROUTES.openapiJson> = (ports) => ({
  height: ports.services.chain.head.height,
  text: openapiText(ports),
});

export const asyncapiJson: Handler<typeof ROUTES.asyncapiJson> = (ports) => ({
  height: ports.services.chain.head.height,
  text: asyncapiText(ports),
});

export const llmsTxt: Handler<typeof ROUTES.llmsTxt> = (ports) => ({
  height: ports.services.chain.head.height,
  text: llms(ports),
});

export const llmsFullTxt: Handler<typeof ROUTES.llmsFullTxt> = (ports) => ({
  height: ports.services.chain.head.height,
  text: llmsFull(ports),
});

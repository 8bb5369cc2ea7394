/**
 * `GET /openapi.json`, `/asyncapi.json`, `/llms.txt` and `/llms-full.txt`: made once for a release. The last one is a generated file of
 * the repository, which lies beside the code in a released package.
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
const LLMS_FULL = new URL('../../../../../llms-full.txt', import.meta.url);
const llmsFull = once(() => readFileSync(LLMS_FULL, 'utf8'));

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

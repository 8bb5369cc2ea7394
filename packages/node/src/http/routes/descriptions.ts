/** `GET /openapi.json`, `/asyncapi.json` and `/llms.txt`: made once for a release. */
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

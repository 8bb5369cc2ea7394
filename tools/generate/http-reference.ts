/**
 * The reference of a node's HTTP routes and sockets as a page, made from the contract.
 */
import { fieldList, type Schema, shapeOf } from '../../packages/api/src/base/schema-shape.ts';
import {
  CLIENT_FRAMES,
  ERROR_CATALOGUE,
  type ErrorCode,
  ROUTE_LIST,
  type Route,
  SERVER_FRAMES,
  SOCKET_ENDPOINTS,
  SOCKET_ERRORS,
  SOCKET_LIMITS,
  type SocketEndpoint,
  TOPIC_EVENTS,
} from '../../packages/api/src/index.ts';
import { mark } from './markdown.ts';

const HEAD = `${mark('the contract in packages/api')}

# HTTP routes and sockets of a node

A node answers on \`127.0.0.1:28701\` unless configured otherwise. No key and no account. Documents are JSON and carry
\`api_version\` 1; a request with a field that is not listed is refused. Amounts are atoms in decimal strings; a coin has
100,000,000 atoms. Identifiers are 96 lower-case hexadecimal characters. A height is that of a final cut, one step of the chain.
Lists give \`next_cursor\`: pass it back as \`cursor\`. Refusals of every route are not repeated with each. Routes marked *extension* are not part of the specification.

Work blocks of one anchor that pay one address share one output. Wherever the reward of a block names an outpoint, \`amount\` is
what the block earned and \`output_amount\` what the output holds: count rewards by block, or outputs once.

The same for programs: \`/openapi.json\`, \`/asyncapi.json\`, \`/llms.txt\`. Typed calls: [\`svc-client\`](../integrate/client.md); a route is
a method of its client, under the name in brackets.`;

/** Stated once for all documents. */
const VERSION = 'api_version: 1, ';

export function httpReference(): string {
  const groups = [...new Set(ROUTE_LIST.map(({ group }) => group))];
  const routes = groups.flatMap((group) => [
    `## Routes: ${group}`,
    ...ROUTE_LIST.filter((route) => route.group === group).map(routeSection),
  ]);
  return `${[HEAD, ...routes, errorSection(), socketSection()].join('\n\n')}\n`;
}

function routeSection(route: Route): string {
  const { name, method, path, summary, extension, params, query, body, bytes, answer, page } =
    route;
  const fields = fieldList([params, query, body] as (Schema | undefined)[]);
  const refusals = route.errors.map((code) => `\`${code}\``).join(', ');
  return [
    `### ${method} ${path}`,
    `${summary}${extension ? ' *extension*' : ''} (\`${name}\`)`,
    ...(fields === '' ? [] : [fields]),
    ...(bytes === undefined ? [] : [`Or bytes, as \`${bytes.media}\`: ${bytes.description}`]),
    ...(page === undefined ? [] : [`A page has ${page.default} rows, at most ${page.maximum}.`]),
    `Answers \`${route.media === 'text/plain' ? 'text/plain' : shapeOf(answer).replace(VERSION, '')}\`.`,
    ...(refusals === '' ? [] : [`Refusals: ${refusals}.`]),
  ].join('\n\n');
}

function errorSection(): string {
  const rows = (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).map((code) => {
    const { status, retry, meaning } = ERROR_CATALOGUE[code];
    return `- \`${code}\` (${status}, ${retry}): ${meaning}`;
  });
  return [
    '## Errors',
    'A refusal is `{api_version, error: {code, message, path?, hint?}, retry_after_millis?}`. Never repeat a submission after a lost answer: ask for the status of the transaction.',
    'Each code with its HTTP status and when to retry:',
    rows.join('\n'),
  ].join('\n\n');
}

function socketSection(): string {
  const names = Object.keys(SOCKET_ENDPOINTS) as SocketEndpoint[];
  const topics = Object.entries(TOPIC_EVENTS).map(
    ([topic, events]) => `- \`${topic}\`: ${events.map((event) => `\`${event}\``).join(', ')}`,
  );
  const errors = Object.entries(SOCKET_ERRORS).map(
    ([code, { status, retry, meaning }]) => `- \`${code}\` (${status}, ${retry}): ${meaning}`,
  );
  const limits = Object.entries(SOCKET_LIMITS.node).map(
    ([name, value]) =>
      `| ${name} | ${value} | ${SOCKET_LIMITS.public[name as keyof typeof SOCKET_LIMITS.public]} |`,
  );
  return [
    '## Sockets',
    'WebSockets on the same port. A client names the subprotocol of the endpoint when it connects. Frames are JSON, `{type, data}`; nothing is replayed on `/v1/ws`: after `resync_required` or a new connection, read over HTTP what may have been missed.',
    ...names.map(endpointSection),
    '### Topics of /v1/ws',
    topics.join('\n'),
    '### Limits of a connection',
    ['| limit | node | public service |', '|---|---|---|', ...limits].join('\n'),
    '### Errors of sockets',
    errors.join('\n'),
  ].join('\n\n');
}

function endpointSection(name: SocketEndpoint): string {
  const { path, subprotocol, summary } = SOCKET_ENDPOINTS[name];
  const sent = Object.entries(SERVER_FRAMES[name]).map(frameLine);
  const taken = name === 'api' ? Object.entries(CLIENT_FRAMES).map(frameLine) : [];
  return [
    `### ${path}`,
    `${summary} Subprotocol \`${subprotocol}\`.`,
    ...(taken.length === 0 ? [] : ['Takes:', taken.join('\n')]),
    'Sends:',
    sent.join('\n'),
  ].join('\n\n');
}

const FRAME_CHARACTERS_MAX = 600;

/** Long shapes are those of documents that routes answer as well. */
function frameLine([type, schema]: [string, unknown]): string {
  const shape = shapeOf(schema as Schema);
  const told =
    shape.length > FRAME_CHARACTERS_MAX ? 'its schema is in `/asyncapi.json`' : `\`${shape}\``;
  return `- \`${type}\`: ${told}`;
}

/**
 * The reference of the mining listener as a page, made from the contract.
 */
import { fieldList, type Schema, shapeOf } from '../../packages/api/src/base/schema-shape.ts';
import {
  type ErrorCode,
  MINING_EVENTS_PROTOCOL,
  MINING_ROUTES,
  type MiningRoute,
} from '../../packages/api/src/index.ts';
import { mark } from './markdown.ts';

const HEAD = `${mark('the contract in packages/api')}

# HTTP interface of the mining listener

A node gives work to miners, bridges and pools of its own machine on \`127.0.0.1:28702\` unless configured otherwise, and takes the
blocks that they find. No key and no account. The \`Host\` header must name a loopback address or \`localhost\` with the port; requests
of web pages are refused. Documents are JSON and carry \`api_version\` 1; a request with a field that is not listed is refused, and so
is a query. Bodies are sent as \`application/json\`, uncompressed. Identifiers are 96 lower-case hexadecimal characters, amounts are
atoms in decimal strings. \`/v1/node/sync\` and \`/v1/chain/rates\` are the same as on the [public port](http.md).

A miner asks for a template, writes a nonce into \`header_hex\` at \`nonce\`, and hashes the header as
[the protocol](../protocol.md) describes. A header whose hash is not above \`target\` is a candidate, which is sent with the body. A pool
that needs several bodies for one template changes bytes of \`extranonce.free\` in header and body alike, and computes the body root in
the header anew. Every final cut is a new anchor: take a new template with each event.`;

/** Refused before a route is chosen, beside requests that cannot be read. */
const GUARDS = [
  'not_local',
  'host_not_allowed',
  'origin_not_allowed',
  'unknown_route',
  'method_not_allowed',
  'unavailable',
] as const satisfies readonly ErrorCode[];

export function miningReference(): string {
  const routes: readonly MiningRoute[] = MINING_ROUTES;
  return `${[HEAD, '## Routes', ...routes.map(routeSection), eventSection(), errorSection(routes)].join('\n\n')}\n`;
}

function routeSection({ name, method, path, summary, body, answer, errors }: MiningRoute): string {
  const [taken, given] = [body, answer].map((schema) => fieldList([schema]));
  const refusals = errors.map((code) => `\`${code}\``).join(', ');
  return [
    `### ${method} ${path}`,
    `${summary} (\`${name}\`)`,
    ...(taken === '' ? [] : ['Takes:', taken as string]),
    'Answers:',
    given as string,
    ...(refusals === '' ? [] : [`Refusals: ${refusals}.`]),
  ].join('\n\n');
}

function eventSection(): string {
  const event = MINING_ROUTES.find(({ name }) => name === 'miningEvents')?.answer;
  return [
    '## Events',
    `A WebSocket names the subprotocol \`${MINING_EVENTS_PROTOCOL}\`; a request without an upgrade gets server-sent events, whose \`id\` is the height. Nothing is replayed, and clients send nothing. A client that leaves 64 KiB unread is disconnected.`,
    `Sends \`${shapeOf(event as Schema)}\`.`,
  ].join('\n\n');
}

function errorSection(routes: readonly MiningRoute[]): string {
  const codes = new Set<ErrorCode>([...GUARDS, ...routes.flatMap(({ errors }) => errors)]);
  const names = [...codes].map((code) => `\`${code}\``).join(', ');
  return [
    '## Errors',
    'A refusal is `{api_version, error: {code, message, path?, hint?}, retry_after_millis?}`. A body that cannot be read, and a field that is missing, unknown or out of its range, are refused as on the public port. [The meaning of each code](http.md#errors) is the same there.',
    `${names}.`,
  ].join('\n\n');
}

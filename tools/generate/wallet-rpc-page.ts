/**
 * The reference of the daemon's methods, events and errors as a page, made from the contract.
 */
import { fieldList, type Schema } from '../../packages/api/src/base/schema-shape.ts';
import {
  COMMON_ERRORS,
  EVENTS,
  Funds,
  METHOD_GROUPS,
  METHOD_LIST,
  METHOD_SCOPES,
  type MethodGroup,
  type MethodName,
  RPC_ERRORS,
  type RpcMethod,
} from '../../packages/api/src/rpc/index.ts';
import { BATCH_MAX } from '../../packages/wallet/src/daemon/dispatch.ts';
import {
  BODY_BYTES_MAX,
  CONNECTIONS_MAX,
  STRANGERS_MAX,
} from '../../packages/wallet/src/daemon/listener.ts';
import {
  CALLS_IN_FLIGHT_MAX,
  SUBSCRIPTIONS_MAX,
} from '../../packages/wallet/src/daemon/rpc-socket.ts';
import { SOCKETS_MAX } from '../../packages/wallet/src/daemon/server.ts';
import { WAIT_MILLIS_MAX, WAITING_MAX } from '../../packages/wallet/src/spend/payment-queue.ts';
import { mark, type Page, table } from './markdown.ts';

const TITLES: Readonly<Record<MethodGroup, string>> = {
  wallet: 'Wallet',
  addresses: 'Addresses',
  incoming: 'Incoming',
  outgoing: 'Outgoing',
  staking: 'Staking',
  ownership: 'Ownership',
  shared: 'Shared wallets',
  events: 'Events',
  validator: 'Validator',
};

export function walletRpcPage(): Page {
  const parts = [HEAD, ...METHOD_GROUPS.flatMap(groupSection)];
  const text = [...parts, eventSection(), errorSection(), limitSection()].join('\n\n');
  return { path: 'docs/reference/json-rpc.md', text: `${text}\n` };
}

const HEAD = `${mark('the contract in packages/api/src/rpc')}

# JSON-RPC of the wallet daemon

\`POST /v1/rpc\` on \`127.0.0.1:28703\` with \`Authorization: Bearer <token>\` and \`content-type: application/json\`. A call is
\`{jsonrpc, id, method, params}\`; \`params\` is an object, and a field that a method does not have is refused. The WebSocket \`/v1/ws\`
takes the same calls with the same header, and sends events. Amounts are decimal strings of coins: \`1.25\` in, \`1.25000000\` out. The daemon
serves this as an OpenRPC document at \`/openrpc.json\`. Methods marked *extension* are not part of the specification. Each method says the
scope that a token needs for it: *read*, *deposit*, *spend* or *everything* ([tokens](../integrate/exchange.md#tokens)).

How to use it: [deposits](../integrate/deposits.md), [withdrawals](../integrate/withdrawals.md).

Each method has an example of a call and of its result. Send a call with

\`\`\`sh no-run
curl -s http://127.0.0.1:28703/v1/rpc \\
  -H "authorization: Bearer $(cat wallet.token)" -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"status","params":{}}'
\`\`\`

Every method may be refused with ${COMMON_ERRORS.map((kind) => `\`${kind}\``).join(', ')}; further refusals are listed with it.`;

function groupSection(group: MethodGroup): string[] {
  const methods = METHOD_LIST.filter((method) => method.group === group);
  return [`## ${TITLES[group]}`, ...methods.map(methodSection)];
}

function methodSection(method: RpcMethod): string {
  const marks = [
    `*${METHOD_SCOPES[method.name as MethodName]}*`,
    ...(method.extension ? ['*extension*'] : []),
  ];
  const errors = method.errors.map((kind) => `\`${kind}\``).join(', ');
  return [
    `### \`${method.name}\``,
    [method.summary, ...marks].join(' '),
    fieldList([method.params]) || 'Takes nothing.',
    example(method),
    ...(errors === '' ? [] : [`Refusals: ${errors}.`]),
  ].join('\n\n');
}

/** A longer result has a line for each field. */
const LINE_CHARACTERS_MAX = 160;

function example({ example: { params, result }, name }: RpcMethod): string {
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params });
  const short = JSON.stringify(result);
  const answer = short.length > LINE_CHARACTERS_MAX ? JSON.stringify(result, null, 2) : short;
  return `\`\`\`json\n${call}\n\`\`\`\n\n\`\`\`json\n${answer}\n\`\`\``;
}

function eventSection(): string {
  const sections = Object.entries(EVENTS).map(([name, { data, summary }]) =>
    [`### Event \`${name}\``, summary, fieldList([data as Schema])].join('\n\n'),
  );
  const intro =
    'An event is a notification on the WebSocket: its `method` is the name of the event. Events are prompts; what counts is `received`.';
  return ['## Notifications', intro, ...sections].join('\n\n');
}

function errorSection(): string {
  const rows = Object.entries(RPC_ERRORS).map(
    ([kind, { code, retry, sentence }]) => `- \`${kind}\` (${code}, \`${retry}\`): ${sentence}`,
  );
  return [
    '## Errors',
    '`error.data` has `kind`, `retry`, `hint` and, where a field is to blame, its `path`. `retry` is `same_request_id`: repeat the very same call; `later`: repeat after a while, payments with the same `request_id`; or `never`.',
    rows.join('\n'),
    FUNDS_INTRO,
    fieldList([Funds]),
  ].join('\n\n');
}

function limitSection(): string {
  const rows = [
    [
      'body of a request, message of a WebSocket',
      `${BODY_BYTES_MAX / 1_024} KiB`,
      '413 `body_too_large`; the WebSocket is closed',
    ],
    [
      'calls of a batch: payments that follow each other are carried out together, others in their order',
      BATCH_MAX,
      '`invalid_request`, and none is carried out',
    ],
    ['connections with a valid token', CONNECTIONS_MAX, '503 `busy`, repeat after `Retry-After`'],
    [
      'connections that have shown none, beside those',
      STRANGERS_MAX.toLocaleString('en'),
      'the one that came first is answered 503 `busy` and closed; behind TLS it is closed',
    ],
    ['WebSockets', SOCKETS_MAX, '503 `busy` in place of the WebSocket'],
    [
      'calls of a WebSocket that are carried out at a time; a batch is one',
      CALLS_IN_FLIGHT_MAX,
      '-32003 `busy` for each further call, with `retry_after_millis`; the others are answered as if it had not come',
    ],
    ['subscriptions of a WebSocket', SUBSCRIPTIONS_MAX, '`invalid_params`'],
    [
      'bytes that wait for who reads its WebSocket slowly',
      '1 MiB',
      'events are left out and `resync_required` says so; no call of it is read before it has read its answers',
    ],
    [
      'payments that wait for their turn',
      WAITING_MAX,
      `-32003 \`wallet_busy\`, as after ${WAIT_MILLIS_MAX / 1_000} seconds of waiting; nothing was made`,
    ],
  ];
  return [
    '## Limits',
    'A call beyond a limit gets an error of its own; no answer of another call is lost for it.',
    table(
      ['what', 'at most', 'beyond'],
      rows.map((row) => row.map(String)),
    ),
  ].join('\n\n');
}

const FUNDS_INTRO =
  'Where `repeat_after` of `insufficient_funds` tells after what the call can be paid, `retry` is `later`, otherwise `never`. `insufficient_funds` of a call that pays, and `wallet_busy` while coins are on their way back, have `funds` in `error.data`. It is absent where the free coins are not to blame, and for a request that was refused for good after outputs were merged for it.';

import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { ROUTES } from 'svc-api';
import { init, serviceIdentityForPublicKey } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { signServiceResponse } from 'svc-wasm/protocol';
import { ClientError, createClient } from '../src/index.ts';
import { PATHS } from '../src/routes/paths.ts';
import { type ReceivedRequest, type ScriptedAnswer, startServer } from './scripted-server.ts';

await init();

const ID = 'ab'.repeat(48);
const CHAIN_ID = '5c'.repeat(48);
const quick = { sleep: async () => {}, random: () => 0 };

function head(height: number) {
  const cut = { height, cut_id: ID, state_root: ID, validator_set_id: ID };
  return {
    api_version: 1,
    network: 'development',
    chain_id: CHAIN_ID,
    cut,
    time_millis: 1,
    epoch: 0,
  };
}

async function rejects(kind: string, call: Promise<unknown>): Promise<ClientError> {
  let found: unknown;
  await assert.rejects(call, (error) => {
    found = error;
    assert.ok(error instanceof ClientError, String(error));
    assert.equal(error.kind, kind);
    return true;
  });
  return found as ClientError;
}

test('the client names every route of the contract with its method and path', () => {
  const contract = Object.entries(ROUTES).map(([name, { method, path }]) => [
    name,
    `${method} ${path}`,
  ]);
  assert.deepEqual(Object.entries(PATHS).sort(), contract.sort());
});

test('path parameters, query and body go to their places', async (t) => {
  const server = await startServer(t, () => ({ body: {} }));
  const client = createClient({ url: `${server.url}/` });
  await client.addressHistory({ address: 'dsvc1x/?', limit: 5 });
  await client.addressChanges({ addresses: ['a'], after_height: 7 });
  await client.chainHead();
  assert.deepEqual(
    server.requests.map(({ method, target, body }) => [method, target, body]),
    [
      ['GET', '/v1/address/dsvc1x%2F%3F/history?limit=5', ''],
      ['POST', '/v1/address/changes', '{"api_version":1,"addresses":["a"],"after_height":7}'],
      ['GET', '/v1/chain/head', ''],
    ],
  );
  assert.equal(server.requests[1]?.headers['content-type'], 'application/json');
  assert.equal(server.requests[2]?.headers['x-svc-request-nonce'], undefined);
});

test('a read waits as long as the server asks, and then succeeds', async (t) => {
  const waits: number[] = [];
  const answers: ScriptedAnswer[] = [
    {
      status: 429,
      body: {
        api_version: 1,
        error: { code: 'too_many_requests', message: 'slow' },
        retry_after_millis: 700,
      },
    },
    {
      status: 503,
      headers: { 'retry-after': '2' },
      body: { api_version: 1, error: { code: 'overloaded', message: 'busy' } },
    },
    { lost: true },
    { body: head(3) },
  ];
  const server = await startServer(t, () => answers.shift() as ScriptedAnswer);
  const client = createClient({
    url: server.url,
    retry: { ...quick, sleep: async (millis) => void waits.push(millis) },
  });
  assert.equal((await client.chainHead()).cut.height, 3);
  assert.deepEqual(waits, [700, 2000, 500]);
});

test('a wait longer than the caller allows, and refusals, are reported at once', async (t) => {
  const refusal = {
    api_version: 1,
    error: { code: 'bad_address', message: 'no', path: 'address', hint: 'fix it' },
  };
  const answers: ScriptedAnswer[] = [
    {
      status: 429,
      body: {
        api_version: 1,
        error: { code: 'blocked', message: 'x' },
        retry_after_millis: 90_000,
      },
    },
    { status: 400, body: refusal },
    { status: 200, headers: { 'content-type': 'application/json' }, body: 'no json' },
  ];
  const server = await startServer(t, () => answers.shift() as ScriptedAnswer);
  const client = createClient({ url: server.url, retry: quick });
  assert.equal((await rejects('refused', client.chainHead())).retryAfterMillis, 90_000);
  const error = await rejects('refused', client.addressBalance({ address: 'x' }));
  assert.deepEqual(
    [error.status, error.code, error.path, error.hint],
    [400, 'bad_address', 'address', 'fix it'],
  );
  await rejects('bad_answer', client.chainHead());
  assert.equal(server.requests.length, 3);
});

/** An address at which no server listens any more. */
async function closedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

test('no server, a slow server and a caller who ends it are distinguished', async (t) => {
  const ending = new AbortController();
  const server = await startServer(t, () => {
    ending.abort();
    return new Promise(() => {});
  });
  let attempts = 0;
  const counted: typeof fetch = (...args) => {
    attempts++;
    return fetch(...args);
  };
  const hasty = createClient({
    url: server.url,
    fetch: counted,
    timeoutMillis: 50,
    retry: { ...quick, retries: 1 },
  });
  assert.match((await rejects('unreachable', hasty.chainHead())).message, /within 50 ms/);
  assert.equal(attempts, 2);
  const patient = createClient({ url: server.url, retry: quick });
  await rejects('aborted', patient.chainHead({}, { signal: ending.signal }));
  const badPort = createClient({ url: 'http://127.0.0.1:1', retry: { ...quick, retries: 0 } });
  assert.match((await rejects('unreachable', badPort.chainHead())).message, /bad port$/);
  const closed = createClient({ url: await closedUrl(), retry: { ...quick, retries: 0 } });
  assert.match((await rejects('unreachable', closed.chainHead())).message, /ECONNREFUSED/);
});

test('a submission is sent again only when the server said that it did not take it', async (t) => {
  const answers: ScriptedAnswer[] = [
    {
      status: 503,
      body: {
        api_version: 1,
        error: { code: 'mempool_full', message: 'x' },
        retry_after_millis: 1,
      },
    },
    {
      status: 429,
      body: { api_version: 1, error: { code: 'blocked', message: 'x' }, retry_after_millis: 1 },
    },
    { body: { api_version: 1, transaction_id: ID, result: 'accepted' } },
  ];
  const server = await startServer(t, () => answers.shift() as ScriptedAnswer);
  const client = createClient({ url: server.url, retry: quick });
  assert.equal(await client.submit({ wire_hex: '00', transaction_id: ID }), 'accepted');
  assert.equal(server.requests.length, 3);
});

for (const [title, lost] of [
  ['a broken connection', { lost: true }],
  ['an error of a proxy', { status: 502, body: 'bad gateway' }],
  ['an answer that is none', { headers: { 'content-type': 'application/json' }, body: '<html>' }],
] as const) {
  test(`after ${title} a submission is never repeated; its status is asked for`, async (t) => {
    let knows = false;
    const server = await startServer(t, ({ method }: ReceivedRequest): ScriptedAnswer => {
      if (method === 'POST') return lost;
      if (!knows)
        return {
          status: 404,
          body: { api_version: 1, error: { code: 'not_found', message: 'x' } },
        };
      return {
        body: {
          api_version: 1,
          transaction_id: ID,
          lifecycle: 'processing',
          observed_work: null,
          registered_cut: null,
          finalized_cut: null,
          failure: null,
        },
      };
    });
    const client = createClient({ url: server.url, retry: quick });
    await rejects('answer_lost', client.submit({ wire_hex: '00', transaction_id: ID }));
    knows = true;
    assert.equal(await client.submit({ wire_hex: '00', transaction_id: ID }), 'known');
    assert.deepEqual(
      server.requests.map(({ method }) => method),
      ['POST', 'GET', 'POST', 'GET'],
    );
  });
}

test('a refused submission is a refusal, and a receipt for another transaction is none', async (t) => {
  const answers: ScriptedAnswer[] = [
    { status: 409, body: { api_version: 1, error: { code: 'conflict', message: 'spent' } } },
    { body: { api_version: 1, transaction_id: 'cd'.repeat(48), result: 'accepted' } },
  ];
  const server = await startServer(t, () => answers.shift() as ScriptedAnswer);
  const client = createClient({ url: server.url, retry: quick });
  assert.equal(
    (await rejects('refused', client.submit({ wire_hex: '00', transaction_id: ID }))).code,
    'conflict',
  );
  await rejects('bad_answer', client.submit({ wire_hex: '00', transaction_id: ID }));
});

test('pages are walked to the last, by cursor and by height', async (t) => {
  const server = await startServer(t, ({ target, body }) => {
    if (target.startsWith('/v1/cuts')) {
      const before = Number(new URL(target, 'http://x').searchParams.get('before') ?? 5);
      const cuts = [{ height: before - 1 }, { height: before - 2 }].filter(
        ({ height }) => height > 0,
      );
      return { body: before > 3 ? { cuts, next_before: before - 2 } : { cuts } };
    }
    const cursor = (JSON.parse(body) as { cursor?: string }).cursor;
    return {
      body: cursor === undefined ? { changes: [1, 2], next_cursor: 'x' } : { changes: [3] },
    };
  });
  const client = createClient({ url: server.url });
  const heights: number[] = [];
  for await (const { height } of client.pages.cuts({})) heights.push(height);
  assert.deepEqual(heights, [4, 3, 2, 1]);
  assert.deepEqual(
    await Array.fromAsync(client.pages.addressChanges({ addresses: ['a'], after_height: 0 })),
    [1, 2, 3],
  );
});

interface Signing {
  readonly keys: ReturnType<typeof mlDsa65.keygen>;
  /** Changes what is sent after it was signed. */
  readonly tamper?: (
    body: string,
    headers: Record<string, string>,
  ) => [string, Record<string, string>];
}

function signed(
  { keys, tamper }: Signing,
  request: ReceivedRequest,
  document: unknown,
  status = 200,
): ScriptedAnswer {
  const body = JSON.stringify(document);
  const json = { 'content-type': 'application/json' };
  const nonce = request.headers['x-svc-request-nonce'] as string | undefined;
  if (nonce === undefined) return { headers: json, body };
  const headers = signServiceResponse(keys, {
    method: request.method,
    target: request.target,
    requestBody: new TextEncoder().encode(request.body),
    status,
    responseBody: new TextEncoder().encode(body),
    nonce: fromHex(nonce),
    chainId: fromHex(CHAIN_ID),
    finalizedHeight: 3n,
  });
  const [sent, sentHeaders] = tamper?.(body, { ...headers }) ?? [body, headers];
  return { status, headers: { ...json, ...sentHeaders }, body: sent };
}

const keys = mlDsa65.keygen(new Uint8Array(32).fill(7));
const identity = serviceIdentityForPublicKey(keys.publicKey);
const public_key = Buffer.from(keys.publicKey).toString('hex');

function service(signing: Signing) {
  return (request: ReceivedRequest): ScriptedAnswer => {
    if (request.target === '/v1/node/identity')
      return { body: { api_version: 1, identity, public_key } };
    return signed(signing, request, head(3));
  };
}

test('[AUTH-07] with a pinned identity every answer must be signed over a fresh nonce', async (t) => {
  const server = await startServer(t, service({ keys }));
  const client = createClient({ url: server.url, identity, chainId: CHAIN_ID, retry: quick });
  await client.chainHead();
  await client.addressChanges({ addresses: ['a'], after_height: 7 });
  const nonces = server.requests.map(({ headers }) => headers['x-svc-request-nonce']);
  assert.equal(nonces.length, 3, 'the identity is read once');
  assert.match(nonces[1] as string, /^[0-9a-f]{64}$/);
  assert.notEqual(nonces[1], nonces[2]);
});

test('[AUTH-07] answers that are changed, replayed, unsigned, of another node or chain are refused', async (t) => {
  const other = mlDsa65.keygen(new Uint8Array(32).fill(8));
  let replayed: Record<string, string> | undefined;
  const cases: Record<string, Signing['tamper']> = {
    'another body': (body, headers) => [body.replace('3', '4'), headers],
    'no signature': (body) => [body, {}],
    'another height': (body, headers) => [body, { ...headers, 'x-svc-tip-height': '9' }],
    'another envelope': (body, headers) => [body, { ...headers, 'x-svc-envelope-version': '2' }],
    'an older answer': (body, headers) => {
      replayed ??= headers;
      return [body, replayed];
    },
  };
  for (const [title, tamper] of Object.entries(cases)) {
    const server = await startServer(
      t,
      service(tamper === undefined ? { keys } : { keys, tamper }),
    );
    const client = createClient({ url: server.url, identity, chainId: CHAIN_ID, retry: quick });
    if (title === 'an older answer') await client.chainHead();
    await rejects('unverified', client.chainHead());
  }
  const server = await startServer(t, service({ keys: other }));
  await rejects(
    'unverified',
    createClient({ url: server.url, identity, retry: quick }).chainHead(),
  );
  const sound = await startServer(t, service({ keys }));
  await rejects(
    'unverified',
    createClient({ url: sound.url, identity, chainId: ID, retry: quick }).chainHead(),
  );
  await rejects(
    'unverified',
    createClient({ url: sound.url, identity: ID, retry: quick }).chainHead(),
  );
});

test('[AUTH-07] a node signs what it has read: a refusal of a body unread is taken, an answer to none is not', async (t) => {
  let status = 415;
  const server = await startServer(t, (request) => {
    const { target } = request;
    if (target === '/v1/node/identity') return { body: { api_version: 1, identity, public_key } };
    const error = { code: 'unsupported_media_type', message: 'x' };
    return signed({ keys }, { ...request, body: '' }, { api_version: 1, error }, status);
  });
  const client = createClient({ url: server.url, identity, chainId: CHAIN_ID, retry: quick });
  const ask = () => client.addressChanges({ addresses: ['a'], after_height: 7 });
  await rejects('refused', ask());
  status = 200;
  await rejects('unverified', ask());
});

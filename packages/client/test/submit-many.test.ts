import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientError, createClient, type Submission } from '../src/index.ts';
import { type ReceivedRequest, type ScriptedAnswer, startServer } from './scripted-server.ts';

const quick = { sleep: async () => {}, random: () => 0 };
const SUBMISSIONS: readonly Submission[] = ['aa', 'bb', 'cc'].map((byte) => ({
  wire_hex: byte,
  transaction_id: byte.repeat(48),
}));
const [FIRST = '', SECOND = '', THIRD = ''] = SUBMISSIONS.map(
  ({ transaction_id }) => transaction_id,
);

function refused(status: number, code: string): ScriptedAnswer {
  return { status, body: { api_version: 1, error: { code, message: 'x' } } };
}

/** What became of each submission, in a word or two. */
function words(outcomes: readonly PromiseSettledResult<string>[]): string[] {
  return outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value;
    const error: unknown = outcome.reason;
    assert.ok(error instanceof ClientError, String(error));
    return `${error.kind} ${error.code ?? ''}`.trim();
  });
}

test('submissions of one request have outcomes of their own', async (t) => {
  const refusal = {
    status: 503,
    error: { code: 'mempool_full', message: 'full' },
    retry_after_millis: 7,
  };
  const receipts = [
    { transaction_id: FIRST, result: 'accepted', refusal: null },
    { transaction_id: null, result: 'refused', refusal },
    { transaction_id: FIRST, result: 'known', refusal: null },
  ];
  const server = await startServer(t, () => ({ body: { api_version: 1, receipts } }));
  const client = createClient({ url: server.url, retry: quick });
  const outcomes = await client.submitMany(SUBMISSIONS);
  assert.deepEqual(words(outcomes), ['accepted', 'refused mempool_full', 'bad_answer']);
  const { reason } = outcomes[1] as PromiseRejectedResult;
  assert.deepEqual([reason.status, reason.retryAfterMillis], [503, 7]);
  assert.deepEqual(
    server.requests.map(({ target, body }) => [target, body]),
    [['/v1/transactions/batch', '{"api_version":1,"wires_hex":["aa","bb","cc"]}']],
  );
});

for (const [title, status, code] of [
  ['lacks the route', 404, 'unknown_route'],
  ['takes the end of the path for an id', 405, 'method_not_allowed'],
  ['finds the request too long', 413, 'body_too_large'],
] as const) {
  test(`a node that ${title} gets one transaction after the other`, async (t) => {
    const server = await startServer(t, ({ body, target }: ReceivedRequest): ScriptedAnswer => {
      if (target === '/v1/transactions/batch') return refused(status, code);
      const { wire_hex } = JSON.parse(body) as { wire_hex: string };
      if (wire_hex === 'bb') return refused(409, 'conflict');
      const transaction_id = wire_hex.repeat(48);
      return { body: { api_version: 1, transaction_id, result: 'accepted' } };
    });
    const client = createClient({ url: server.url, retry: quick });
    const outcomes = await client.submitMany(SUBMISSIONS);
    assert.deepEqual(words(outcomes), ['accepted', 'refused conflict', 'accepted']);
  });
}

test('a busy node has none of them, and after a lost answer the statuses show it', async (t) => {
  let isLost = false;
  const server = await startServer(t, ({ method, target }: ReceivedRequest): ScriptedAnswer => {
    if (method === 'POST') return isLost ? { lost: true } : refused(429, 'too_many_requests');
    if (!target.includes(SECOND)) return refused(404, 'not_found');
    const cuts = { observed_work: null, registered_cut: null, finalized_cut: null };
    const status = { transaction_id: SECOND, lifecycle: 'processing', ...cuts, failure: null };
    return { body: { api_version: 1, ...status } };
  });
  const client = createClient({ url: server.url, retry: { ...quick, retries: 0 } });
  const busy = 'refused too_many_requests';
  assert.deepEqual(words(await client.submitMany(SUBMISSIONS)), [busy, busy, busy]);
  isLost = true;
  const lost = words(await client.submitMany(SUBMISSIONS));
  assert.deepEqual(lost, ['answer_lost', 'known', 'answer_lost']);
  const posts = server.requests.filter(({ method }) => method === 'POST');
  assert.equal(posts.length, 2, 'nothing was sent again');
  assert.ok(server.requests.some(({ target }) => target.includes(THIRD)));
});

const IN_BYTES: readonly Submission[] = [0x01, 0x02, 0x03].map((byte) => ({
  wire: Uint8Array.of(byte, byte),
  transaction_id: `0${byte}`.repeat(48),
}));
const MEDIA = 'application/vnd.svc.transactions';

function acceptedOf(submissions: readonly Submission[]): ScriptedAnswer {
  const receipts = submissions.map(({ transaction_id }) => ({
    transaction_id,
    result: 'accepted',
    refusal: null,
  }));
  return { body: { api_version: 1, receipts } };
}

test('transactions in bytes travel as bytes, each behind its length', async (t) => {
  const server = await startServer(t, () => acceptedOf(IN_BYTES));
  const client = createClient({ url: server.url, retry: quick });
  assert.deepEqual(words(await client.submitMany(IN_BYTES)), ['accepted', 'accepted', 'accepted']);
  const sent = server.requests.map(({ target, headers, body }) => [
    target,
    headers['content-type'],
    body,
  ]);
  const body = '\x02\x01\x01\x02\x02\x02\x02\x03\x03';
  assert.deepEqual(sent, [['/v1/transactions/batch', MEDIA, body]]);
});

test('where some transactions are hexadecimal all travel so', async (t) => {
  const mixed = [...IN_BYTES.slice(0, 1), ...SUBMISSIONS.slice(0, 1)];
  const server = await startServer(t, () => acceptedOf(mixed));
  const client = createClient({ url: server.url, retry: quick });
  assert.deepEqual(words(await client.submitMany(mixed)), ['accepted', 'accepted']);
  const [request] = server.requests;
  assert.equal(request?.body, '{"api_version":1,"wires_hex":["0101","aa"]}');
});

for (const [title, status, code] of [
  ['a node that knows no bytes', 415, 'unsupported_media_type'],
  ['a proxy that lets no bytes pass', 403, 'forbidden'],
] as const) {
  test(`${title} gets a document, and no bytes again`, async (t) => {
    const server = await startServer(
      t,
      ({ headers }: ReceivedRequest): ScriptedAnswer =>
        headers['content-type'] === MEDIA ? refused(status, code) : acceptedOf(IN_BYTES),
    );
    const client = createClient({ url: server.url, retry: quick });
    for (let times = 0; times < 2; times++) {
      const outcomes = words(await client.submitMany(IN_BYTES));
      assert.deepEqual(outcomes, ['accepted', 'accepted', 'accepted']);
    }
    const types = server.requests.map(({ headers }) => headers['content-type']);
    assert.deepEqual(types, [MEDIA, 'application/json', 'application/json']);
    const body = '{"api_version":1,"wires_hex":["0101","0202","0303"]}';
    assert.equal(server.requests[1]?.body, body);
  });
}

test('a node that knows neither gets one transaction in bytes after the other', async (t) => {
  const server = await startServer(t, ({ body, target }: ReceivedRequest): ScriptedAnswer => {
    if (target === '/v1/transactions/batch') return refused(404, 'unknown_route');
    const { wire_hex } = JSON.parse(body) as { wire_hex: string };
    const transaction_id = wire_hex.slice(0, 2).repeat(48);
    return { body: { api_version: 1, transaction_id, result: 'known' } };
  });
  const client = createClient({ url: server.url, retry: quick });
  assert.deepEqual(words(await client.submitMany(IN_BYTES)), ['known', 'known', 'known']);
});

test('of bytes whose answer is lost, or that come to a busy node, nothing is sent again', async (t) => {
  let isLost = false;
  const server = await startServer(t, ({ method }: ReceivedRequest): ScriptedAnswer => {
    if (method === 'POST') return isLost ? { lost: true } : refused(503, 'overloaded');
    return refused(404, 'not_found');
  });
  const client = createClient({ url: server.url, retry: { ...quick, retries: 0 } });
  const busy = words(await client.submitMany(IN_BYTES));
  assert.deepEqual(new Set(busy), new Set(['refused overloaded']));
  isLost = true;
  const lost = words(await client.submitMany(IN_BYTES));
  assert.deepEqual(new Set(lost), new Set(['answer_lost']));
  const posts = server.requests.filter(({ method }) => method === 'POST');
  assert.deepEqual(
    posts.map(({ headers }) => headers['content-type']),
    [MEDIA, MEDIA],
  );
});

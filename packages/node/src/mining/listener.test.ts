import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  CandidateDocument,
  ErrorDocument,
  RatesDocument,
  SyncDocument,
  TemplateDocument,
} from 'svc-api';
import { fromHex, toHex } from 'svc-wasm/base';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { MINING_HOST, MINING_PORT, MiningListener } from './listener.ts';
import { createMiningKit, type MiningKit } from './testing/mining-kit.ts';
import { postJson, type Received, send } from './testing/request.ts';

const TEMPLATES = '/v1/mining/templates';
const CANDIDATES = '/v1/mining/candidates';

interface Open {
  readonly mining: MiningKit;
  readonly listener: MiningListener;
  readonly port: number;
}

async function open(t: TestContext): Promise<Open> {
  const mining = await createMiningKit(t);
  const listener = await MiningListener.start(mining.ports, { port: 0 });
  t.after(() => listener.close());
  return { mining, listener, port: listener.port };
}

function read<T>(schema: TSchema, { text }: Received): T {
  const document: unknown = JSON.parse(text);
  const faults = Value.Errors(schema, document);
  assert.deepEqual([...faults], [], text);
  return document as T;
}

function refusal(answer: Received): string {
  const { error } = read<ErrorDocument>(ErrorDocument, answer);
  return `${answer.status} ${error.code}${error.path === undefined ? '' : ` ${error.path}`}`;
}

async function template({ port, mining }: Open, more = {}): Promise<TemplateDocument> {
  const request = { payout: mining.kit.chain.text(4), max_transactions: 10, ...more };
  const answer = await postJson(port, TEMPLATES, request);
  assert.equal(answer.status, 200, answer.text);
  return read<TemplateDocument>(TemplateDocument, answer);
}

/** The request with a nonce that holds. */
function solved({ mining }: Open, { header_hex, body_hex }: TemplateDocument) {
  return { header_hex: toHex(mining.kit.prove(fromHex(header_hex))), body_hex };
}

test('[SVC-04] [MINE-01] [MINE-02] work is given, a found block is accepted, known the second time, and pays', async (t) => {
  assert.deepEqual([MINING_HOST, MINING_PORT], ['127.0.0.1', 28_702]);
  const here = await open(t);
  const { kit } = here.mining;
  const id = await here.mining.pay(0);
  const job = await template(here, { miner_tag: 'rig 1' });
  assert.deepEqual(job.transactions, [id]);
  assert.deepEqual((await template(here, { max_transactions: 0 })).transactions, []);
  const candidate = solved(here, job);
  const first = await postJson(here.port, CANDIDATES, candidate);
  assert.equal(first.status, 200);
  const accepted = read<CandidateDocument>(CandidateDocument, first);
  assert.equal(accepted.result, 'accepted');
  const second = read<CandidateDocument>(
    CandidateDocument,
    await postJson(here.port, CANDIDATES, candidate),
  );
  assert.deepEqual(second, { ...accepted, result: 'known' });
  assert.equal(kit.pool.get(accepted.block_id)?.minerTag, 'rig 1');
  await kit.chain.cut(kit.pool.registrable(1));
  const { result } = await kit.chain.cut();
  assert.deepEqual(
    result.events.outcomes.map(({ transactionId, kind }) => [transactionId, kind]),
    [[id, 'finalized']],
  );
  await kit.chain.runTo(96);
  const [reward] = kit.chain.cuts.flatMap((cut) => cut.result.events.rewards);
  assert.equal(reward?.blockId, accepted.block_id);
  assert.equal(reward?.payoutAddress, kit.chain.address(4));
});

test('[HTTPERR-03] a block that came too late is answered with 409', async (t) => {
  const here = await open(t);
  const candidate = solved(here, await template(here));
  await here.mining.kit.chain.runTo(95);
  assert.equal(refusal(await postJson(here.port, CANDIDATES, candidate)), '409 late');
  assert.equal(here.mining.kit.pool.size, 0);
});

test('[LIVE-11] a second block with one body is refused before and after a cut registers the first', async (t) => {
  const here = await open(t);
  const { kit } = here.mining;
  const job = await template(here);
  const [first, second] = [1, 2].map((last) => ({
    header_hex: toHex(kit.prove(fromHex(job.header_hex).with(311, last))),
    body_hex: job.body_hex,
  }));
  const submit = (document: unknown) => postJson(here.port, CANDIDATES, document);
  const accepted = read<CandidateDocument>(CandidateDocument, await submit(first));
  assert.equal(accepted.result, 'accepted');
  assert.equal(refusal(await submit(second)), '422 body_used');
  const known = read<CandidateDocument>(CandidateDocument, await submit(first));
  assert.equal(known.result, 'known');
  await kit.chain.cut(kit.pool.registrable(1));
  assert.equal(refusal(await submit(second)), '422 body_used');
  await kit.chain.runTo(95);
  assert.equal(refusal(await submit(second)), '409 late');
});

test('candidates that are no good block are refused with the code of the rule they break', async (t) => {
  const here = await open(t);
  const { kit } = here.mining;
  const job = await template(here);
  const other = await template(here);
  const good = solved(here, job);
  const bad = toHex(kit.prove(fromHex(job.header_hex), false));
  const cases: [string, unknown][] = [
    ['422 target_missed', { ...good, header_hex: bad }],
    ['422 bad_block', { ...good, body_hex: other.body_hex }],
    ['400 bad_length header_hex', { ...good, header_hex: good.header_hex.slice(2) }],
    ['400 bad_hex header_hex', { ...good, header_hex: good.header_hex.toUpperCase() }],
    ['400 bad_hex body_hex', { ...good, body_hex: good.body_hex.slice(1) }],
    ['400 missing_field body_hex', { header_hex: good.header_hex }],
    ['400 unknown_field nonce', { ...good, nonce: 1 }],
    ['400 unsupported_version api_version', { ...good, api_version: 2 }],
    ['400 bad_type', []],
    ['400 bad_json', '{"header_hex":"00","header_hex":"00","body_hex":""}'],
    ['400 bad_json', '{'],
    ['413 body_too_large', { ...good, body_hex: '00'.repeat(65_536) }],
  ];
  for (const [expected, document] of cases)
    assert.equal(refusal(await postJson(here.port, CANDIDATES, document)), expected);
  assert.equal((await postJson(here.port, CANDIDATES, good)).status, 200);
});

test('requests for templates that cannot be are refused', async (t) => {
  const here = await open(t);
  const payout = here.mining.kit.chain.text(4);
  const mistyped = `${payout.slice(0, -1)}${payout.endsWith('q') ? 'p' : 'q'}`;
  const cases: [string, unknown][] = [
    ['400 bad_address payout', { payout: mistyped, max_transactions: 1 }],
    ['400 bad_length payout', { payout: 'q'.repeat(91), max_transactions: 1 }],
    ['400 missing_field max_transactions', { payout }],
    ['400 bad_type max_transactions', { payout, max_transactions: '1' }],
    ['400 out_of_range max_transactions', { payout, max_transactions: 1_025 }],
    ['400 out_of_range max_transactions', { payout, max_transactions: -1 }],
    ['400 bad_json', `{"payout":"${payout}","max_transactions":1.5}`],
    ['400 bad_length miner_tag', { payout, max_transactions: 1, miner_tag: 'x'.repeat(21) }],
    ['400 bad_text miner_tag', { payout, max_transactions: 1, miner_tag: '<b>' }],
    ['400 unknown_field extra', { payout, max_transactions: 1, extra: 1 }],
  ];
  for (const [expected, document] of cases)
    assert.equal(refusal(await postJson(here.port, TEMPLATES, document)), expected);
  here.mining.behindBy = 49;
  const behind = await postJson(here.port, TEMPLATES, { payout, max_transactions: 1 });
  assert.equal(refusal(behind), '503 not_synced');
  assert.equal(behind.headers['retry-after'], '10');
  here.mining.behindBy = 48;
  await template(here);
  here.mining.isOutdated = true;
  const outdated = await postJson(here.port, TEMPLATES, { payout, max_transactions: 1 });
  assert.equal(refusal(outdated), '503 not_synced');
  here.mining.isOutdated = false;
});

test('[MINE-04] it tells the state of the node and the rates of the network', async (t) => {
  const { mining, port } = await open(t);
  await mining.kit.chain.runTo(2);
  const sync = read<SyncDocument>(SyncDocument, await send({ port, path: '/v1/node/sync' }));
  assert.equal(sync.finalized_height, 2);
  const rates = read<RatesDocument>(RatesDocument, await send({ port, path: '/v1/chain/rates' }));
  assert.deepEqual(rates, mining.ports.rates.document());
});

test('[AUTH-04] only programs of the same machine are served', async (t) => {
  const { mining, listener, port } = await open(t);
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'localhost', ''])
    await assert.rejects(MiningListener.start(mining.ports, { host, port: 0 }), /loopback/);
  const inject = async (remoteAddress: string) => {
    const headers = { host: `127.0.0.1:${port}` };
    const url = '/v1/node/sync';
    return (await listener.app.inject({ url, headers, remoteAddress })).statusCode;
  };
  for (const address of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])
    assert.equal(await inject(address), 200, address);
  for (const address of ['10.0.0.1', '192.168.1.2', '8.8.8.8', '::ffff:8.8.8.8', 'fe80::1', '::2'])
    assert.equal(await inject(address), 403, address);
});

test('a page of another origin and a foreign Host are refused, whatever they ask', async (t) => {
  const here = await open(t);
  const { port } = here;
  const payout = here.mining.kit.chain.text(4);
  const cases: [string, Record<string, string>][] = [
    ['403 host_not_allowed', { host: `evil.example:${port}` }],
    ['403 host_not_allowed', { host: '127.0.0.1' }],
    ['403 host_not_allowed', { host: `127.0.0.1:${port + 1}` }],
    ['403 host_not_allowed', { host: `127.0.0.1.evil.example:${port}` }],
    ['403 origin_not_allowed', { origin: 'https://evil.example' }],
    ['403 origin_not_allowed', { origin: 'null' }],
    ['403 origin_not_allowed', { origin: `http://127.0.0.1:${port}` }],
    ['403 origin_not_allowed', { 'sec-fetch-site': 'cross-site' }],
  ];
  for (const [expected, headers] of cases) {
    for (const path of ['/v1/node/sync', '/v1/events', '/nothing'])
      assert.equal(refusal(await send({ port, path, headers })), expected);
    const body = JSON.stringify({ payout, max_transactions: 1 });
    const typed = { 'content-type': 'application/json', ...headers };
    const answer = await send({ port, method: 'POST', path: TEMPLATES, headers: typed, body });
    assert.equal(refusal(answer), expected);
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
  }
  assert.equal(here.mining.ports.templates.live, 0);
  for (const host of [`LOCALHOST:${port}`, `[::1]:${port}`]) {
    const answer = await send({ port, path: '/v1/node/sync', headers: { host } });
    assert.equal(answer.status, 200, host);
  }
});

test('only JSON is read, and only the routes are there', async (t) => {
  const { port, mining } = await open(t);
  const body = JSON.stringify({ payout: mining.kit.chain.text(4), max_transactions: 1 });
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json5', '']) {
    const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
    const answer = await send({ port, method: 'POST', path: TEMPLATES, headers, body });
    assert.equal(refusal(answer), '415 unsupported_media_type', type);
  }
  const zipped = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const answer = await send({ port, method: 'POST', path: TEMPLATES, headers: zipped, body });
  assert.equal(refusal(answer), '415 unsupported_media_type');
  assert.equal(refusal(await send({ port, path: '/v1/chain/head' })), '404 unknown_route');
  assert.equal(refusal(await send({ port, path: '/v1/events?x=1' })), '400 unknown_field x');
  assert.equal(refusal(await send({ port, path: '/v1/%ff' })), '400 bad_target');
  const wrong = await send({ port, path: TEMPLATES });
  assert.equal(refusal(wrong), '405 method_not_allowed');
  assert.equal(wrong.headers.allow, 'POST');
});

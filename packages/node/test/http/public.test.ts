/** The public API: what a node offers to its own machine, offered to everybody under a name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTE_LIST, type Route } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import { type CallOptions, errorOf, HttpNode, targetOf } from './kit/http-node.ts';
import { type Story, story } from './kit/story.ts';

const NAME = 'api.example';
const QUERIES: Readonly<Record<string, CallOptions['query']>> = {
  chainSeries: { metric: 'blocks' },
  search: { q: '1' },
  economicsEstimateStaking: { amount: '100000000' },
};

/** A request that the route answers. */
function requestFor({ name, batch }: Route, { services, ...ids }: Story): CallOptions {
  const { chain } = services;
  const { id } = ids.payment;
  const validator = chain.epoch.members[0]?.validatorId as string;
  const named: Readonly<Record<string, string>> = {
    block: ids.paidBlockId,
    stakingValidator: validator,
  };
  const bodies: Readonly<Record<string, object>> = {
    transactionsStatus: { transaction_ids: [id] },
    proofsUtxos: { outpoints: [{ transaction_id: id, output_index: 0 }] },
    transactionSubmit: { wire_hex: toHex(pendingWire(services, ids.pendingId)) },
    addressChanges: { addresses: [chain.text(0)], after_height: 0 },
  };
  const body = bodies[name] ?? (batch === undefined ? undefined : { addresses: [chain.text(0)] });
  return {
    params: { address: chain.text(0), height: 2, id: named[name] ?? id },
    query: QUERIES[name] ?? {},
    ...(body === undefined ? {} : { body: { api_version: 1, ...body } }),
  };
}

function pendingWire({ mempool }: Story['services'], id: string): Uint8Array {
  return mempool.get(id)?.wire ?? assert.fail('nothing is pending');
}

test('[SVC-03] a public API gives the same answers on every route, under the name of its operator', async (t) => {
  const told = await story();
  const own = await HttpNode.start(t, {}, told.services);
  const open = await HttpNode.start(
    t,
    { profile: 'public', publicNames: [NAME], trustedProxies: ['127.0.0.1'] },
    told.services,
  );
  for (const [index, route] of ROUTE_LIST.entries()) {
    const { body, ...request } = requestFor(route, told);
    const target = targetOf(route, request);
    const options = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { host: NAME, 'x-forwarded-for': `203.0.113.${index}` };
    const expected = await own.send(target, options);
    const received = await open.send(target, { ...options, headers });
    assert.equal(expected.status, 200, `${target}: ${expected.text}`);
    assert.deepEqual([received.status, received.text], [200, expected.text], target);
  }
  const other = await open.get('/v1/chain/head', { host: 'other.example' });
  assert.deepEqual([other.status, errorOf(other).code], [403, 'host_not_allowed']);
});

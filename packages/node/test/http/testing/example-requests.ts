/** For every route a request that a node with the story answers. */
import assert from 'node:assert/strict';
import type { Route } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import { type CallOptions, targetOf } from './http-node.ts';
import { RICH, type Story } from './story.ts';

export interface ExampleRequest {
  readonly target: string;
  /** JSON text. */
  readonly body?: string;
}

const QUERIES: Readonly<Record<string, CallOptions['query']>> = {
  chainSeries: { metric: 'blocks' },
  search: { q: '1' },
  economicsEstimateStaking: { amount: '100000000' },
};

export function exampleRequest(route: Route, story: Story): ExampleRequest {
  const { chain } = story.services;
  const ids: Readonly<Record<string, string | undefined>> = {
    block: story.paidBlockId,
    stakingValidator: chain.epoch.members[0]?.validatorId,
  };
  const id = ids[route.name] ?? story.payment.id;
  const params = { address: chain.text(0), height: 2, id };
  const target = targetOf(route, { params, query: QUERIES[route.name] ?? {} });
  const body = exampleBody(route, story);
  return body === undefined
    ? { target }
    : { target, body: JSON.stringify({ api_version: 1, ...body }) };
}

/** The request with as many items as the route takes, of the account with the most outputs. */
export function longestRequest(route: Route, story: Story): ExampleRequest & { items: number } {
  const { chain } = story.services;
  const { target, body } = exampleRequest(route, story);
  const at = target.replace(chain.text(0), chain.text(RICH));
  const { page, batch } = route;
  if (batch !== undefined && body !== undefined) {
    const document = JSON.parse(body) as Record<string, unknown>;
    const [first] = document[batch.field] as unknown[];
    const item = first === chain.text(0) ? chain.text(RICH) : first;
    document[batch.field] = Array.from({ length: batch.maximum }, () => item);
    return { target: at, body: JSON.stringify(document), items: batch.maximum };
  }
  if (page === undefined) return { target: at, items: 0, ...(body === undefined ? {} : { body }) };
  const joint = at.includes('?') ? '&' : '?';
  return { target: `${at}${joint}limit=${page.maximum}`, items: page.maximum };
}

function exampleBody({ name, batch }: Route, story: Story): object | undefined {
  const { chain, mempool } = story.services;
  const { id } = story.payment;
  const addresses = [chain.text(0)];
  if (name === 'transactionsStatus') return { transaction_ids: [id] };
  if (name === 'proofsChanges') return { height: 3, addresses };
  if (name === 'proofsOutcomes') return { height: 2, transaction_ids: [id] };
  if (name === 'proofsCuts') return { height: 3, heights: [1] };
  if (name === 'proofsUtxos') return { outpoints: [{ transaction_id: id, output_index: 0 }] };
  if (name === 'addressChanges') return { addresses, after_height: 0 };
  if (name === 'transactionSubmit') {
    const pooled = mempool.get(story.pendingId) ?? assert.fail('nothing is pending');
    return { wire_hex: toHex(pooled.wire) };
  }
  if (name === 'transactionsSubmit') {
    const pooled = mempool.get(story.pendingId) ?? assert.fail('nothing is pending');
    return { wires_hex: [toHex(pooled.wire)] };
  }
  return batch === undefined ? undefined : { addresses };
}

/** Sizes of pages, batches and bodies. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ROUTE_LIST, ROUTES, type Route } from 'svc-api';
import { BODY_BYTES_MAX } from 'svc-serve';
import { errorOf, HttpNode, targetOf } from './testing/http-node.ts';
import { useStoryNode } from './testing/story-node.ts';

const PAGED: readonly (Route & { page: NonNullable<Route['page']> })[] = ROUTE_LIST.filter(
  (route) => route.method === 'GET' && route.page !== undefined,
) as never;

suite('limits of requests', () => {
  const use = useStoryNode();
  const example = (route: Route): string =>
    targetOf(route, {
      params: { address: use.story.services.chain.text(5), height: 2, id: use.story.payment.id },
    });

  test('[LIMIT-05] [HTTP-28] [HTTP-29] [HTTP-30] [HTTP-31] [HTTP-32] [HTTP-33] the largest pages are allowed and none beyond', async () => {
    const largest = Object.fromEntries(PAGED.map(({ path, page }) => [path, page.maximum]));
    assert.deepEqual(
      [
        largest['/v1/cuts'],
        largest['/v1/address/{address}/utxos'],
        largest['/v1/address/{address}/history'],
        largest['/v1/cuts/{height}/transactions'],
        largest['/v1/cuts/{height}/changes'],
        largest['/v1/transactions/recent'],
        largest['/v1/blocks/recent'],
      ],
      [100, 512, 256, 64, 4_096, 500, 500],
    );
    for (const route of PAGED) {
      const target = `${example(route)}?${route.name === 'chainSeries' ? 'metric=blocks&' : ''}`;
      assert.equal(
        (await use.node.get(`${target}limit=${route.page.maximum}`)).status,
        200,
        route.path,
      );
      const over = await use.node.get(`${target}limit=${route.page.maximum + 1}`);
      assert.deepEqual(
        [over.status, errorOf(over).code, errorOf(over).path],
        [400, 'out_of_range', 'limit'],
        route.path,
      );
    }
  });

  test('a limit is a whole number from 1 in plain digits, once', async () => {
    for (const route of PAGED) {
      const target = `${example(route)}?${route.name === 'chainSeries' ? 'metric=blocks&' : ''}`;
      for (const limit of [
        '0',
        '-1',
        '1e9',
        '',
        '1.0',
        '0x10',
        '+5',
        '%205',
        '05',
        '99999999999999999999',
      ]) {
        const received = await use.node.get(`${target}limit=${limit}`);
        assert.equal(received.status, 400, `${route.path} ${limit}`);
        assert.equal(errorOf(received).path, 'limit');
      }
      const twice = await use.node.get(`${target}limit=1&limit=1`);
      assert.deepEqual([twice.status, errorOf(twice).code], [400, 'duplicate_parameter']);
    }
  });

  test('[LIMIT-02] 64 addresses are granted by every batch route and 65 by none', async () => {
    const batches = ROUTE_LIST.filter(({ batch }) => batch?.field === 'addresses');
    assert.deepEqual(batches.map(({ path }) => path).sort(), [
      '/v1/address/balances',
      '/v1/address/changes',
      '/v1/address/utxos',
      '/v1/keys/registered',
      '/v1/mempool/pending',
      '/v1/proofs/changes',
      '/v1/staking/positions',
    ]);
    const address = use.story.services.chain.text(1);
    const EXTRA: Readonly<Record<string, object>> = {
      addressChanges: { after_height: 0 },
      proofsChanges: { height: 1 },
    };
    for (const { path, name } of batches) {
      const extra = EXTRA[name] ?? {};
      const send = (count: number) =>
        use.node.post(path, {
          api_version: 1,
          addresses: Array.from({ length: count }, () => address),
          ...extra,
        });
      assert.equal((await send(64)).status, 200, path);
      const over = await send(65);
      assert.deepEqual(
        [over.status, errorOf(over).code, errorOf(over).path],
        [400, 'too_many_items', 'addresses'],
        path,
      );
      const none = await send(0);
      assert.deepEqual([none.status, errorOf(none).code], [400, 'too_few_items'], path);
    }
  });

  test('[LIMIT-01] a body of 128 KiB is read, one byte more is not', async () => {
    const document = (size: number): string => {
      const empty = JSON.stringify({ api_version: 1, wire_hex: '' });
      return JSON.stringify({ api_version: 1, wire_hex: 'a'.repeat(size - empty.length) });
    };
    assert.equal(BODY_BYTES_MAX, 131_072);
    const most = await use.node.send('/v1/transactions', { body: document(BODY_BYTES_MAX) });
    assert.notEqual(most.status, 413);
    assert.notEqual(errorOf(most).code, 'body_too_large');
    const over = await use.node.send('/v1/transactions', { body: document(BODY_BYTES_MAX + 1) });
    assert.deepEqual([over.status, errorOf(over).code], [413, 'body_too_large']);
    const chunked = await use.node.send('/v1/transactions', {
      body: document(BODY_BYTES_MAX + 1),
      headers: { 'transfer-encoding': 'chunked' },
    });
    assert.deepEqual([chunked.status, errorOf(chunked).code], [413, 'body_too_large']);
  });

  test('an answer is never larger than a mebibyte', async (t) => {
    const node = await HttpNode.start(
      t,
      {},
      {
        genesis: (genesis) => {
          const [first, ...others] = genesis.outputs;
          if (first === undefined) throw new Error('no outputs');
          const part = first.amount / 4_500n;
          const many = Array.from({ length: 4_500 }, (_, index) => ({
            address: first.address,
            amount: index === 0 ? first.amount - 4_499n * part : part,
          }));
          return { ...genesis, outputs: [...many, ...others] };
        },
      },
    );
    const indexes: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await node.get(
        targetOf(ROUTES.cutChanges, { params: { height: 0 }, query: { limit: 4_096, cursor } }),
      );
      assert.ok(page.bytes.length <= 1 << 20, `${page.bytes.length} bytes`);
      const { changes, next_cursor } = JSON.parse(page.text);
      indexes.push(...changes.map(({ index }: { index: number }) => index));
      cursor = next_cursor;
    } while (cursor !== undefined);
    assert.deepEqual(
      indexes,
      indexes.map((_, index) => index),
    );
    assert.equal(indexes.length, 4_509);
  });
});

test('[HTTP-33] [HTTP-31] lists without a limit have their default length', async (t) => {
  const node = await HttpNode.start(
    t,
    {},
    {
      genesis: (genesis) => {
        const [first, ...others] = genesis.outputs;
        if (first === undefined) throw new Error('no outputs');
        const part = first.amount / 70n;
        const many = Array.from({ length: 70 }, (_, index) => ({
          address: first.address,
          amount: index === 0 ? first.amount - 69n * part : part,
        }));
        return { ...genesis, outputs: [...many, ...others] };
      },
    },
  );
  const { chain } = node.services;
  const coins = await chain.coins(0);
  const wires = coins.slice(0, 65).map((coin) =>
    chain.sign({
      from: 0,
      coins: [coin],
      outputs: [{ address: chain.address(1), amount: coin[1].amount - 100_000n }],
    }),
  );
  const blocks = [];
  for (let first = 0; first < wires.length; first += 10)
    blocks.push(chain.mine(wires.slice(first, first + 10)));
  await chain.cut(blocks);
  const empty = Array.from({ length: 249 }, () => chain.mine([]));
  await chain.cut(empty);
  await chain.cut(Array.from({ length: 256 }, () => chain.mine([])));
  assert.equal((await node.call(ROUTES.transactionsRecent)).transactions.length, 50);
  assert.equal((await node.call(ROUTES.blocksRecent)).blocks.length, 50);
  assert.equal(
    (await node.call(ROUTES.blocksRecent, { query: { limit: 500 } })).blocks.length,
    500,
  );
  const { transactions, next_cursor } = await node.call(ROUTES.cutTransactions, {
    params: { height: 2 },
  });
  assert.equal(transactions.length, 64);
  const rest = await node.call(ROUTES.cutTransactions, {
    params: { height: 2 },
    query: { cursor: next_cursor },
  });
  assert.equal(rest.transactions.length, 1);
});

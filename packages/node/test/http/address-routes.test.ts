/** Reads of addresses, one at a time and in batches. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type AddressHistory, type AddressUtxos, ROUTES } from 'svc-api';
import { encodeAddress } from 'svc-wasm/base';
import { HttpNode } from './testing/http-node.ts';
import { FINAL_HEIGHT, RICH, RICH_OUTPUTS } from './testing/story.ts';
import { useStoryNode } from './testing/story-node.ts';

suite('addresses over HTTP', () => {
  const use = useStoryNode();

  test('[HTTP-03] [BAL-01] [BAL-02] [BAL-03] [BAL-04] [BAL-05] [CONV-01] [CONV-03] the balance document', async () => {
    const {
      node,
      story: { services },
    } = use;
    const { chain } = services;
    const address = chain.text(1);
    const answer = await node.call(ROUTES.addressBalance, { params: { address } });
    const coins = await chain.coins(1);
    assert.deepEqual(answer, {
      api_version: 1,
      address,
      balance: String(coins.reduce((sum, [, { amount }]) => sum + amount, 0n)),
      utxos: coins.length,
      indexed_height: FINAL_HEIGHT,
    });
    assert.equal(
      coins.length,
      2 +
        chain.cuts
          .flatMap(({ result }) => result.events.stakePayouts)
          .filter(({ address: to }) => to === chain.address(1)).length,
    );
  });

  test('an address that was never used has nothing; upper case names the same address', async () => {
    const {
      node,
      story: { services },
    } = use;
    const params = { address: services.chain.text(1).toUpperCase() };
    const upper = await node.call(ROUTES.addressBalance, { params });
    const lower = await node.call(ROUTES.addressBalance, {
      params: { address: services.chain.text(1) },
    });
    assert.equal(upper.balance, lower.balance);
    assert.equal(upper.address, params.address);
    const unused = encodeAddress(new Uint8Array(49).fill(0x5a, 1), 'development');
    const empty = await node.call(ROUTES.addressBalance, { params: { address: unused } });
    assert.deepEqual([empty.balance, empty.utxos], ['0', 0]);
  });

  test('[HTTP-04] [HTTP-27] [HTTP-29] unspent outputs come in pages that next_cursor leads through', async () => {
    const {
      node,
      story: { services },
    } = use;
    const params = { address: services.chain.text(RICH) };
    const seen = new Set<string>();
    let pages = 0;
    let total = 0n;
    let cursor: string | undefined;
    do {
      const page: AddressUtxos = await node.call(ROUTES.addressUtxos, {
        params,
        query: { limit: 512, cursor },
      });
      for (const { outpoint, amount, source, finalized_height } of page.utxos) {
        seen.add(`${outpoint.transaction_id}:${outpoint.output_index}`);
        total += BigInt(amount);
        assert.equal(source, 'genesis');
        assert.equal(finalized_height, 0);
      }
      if (page.next_cursor !== undefined) assert.equal(page.utxos.length, 512);
      cursor = page.next_cursor;
      pages++;
    } while (cursor !== undefined);
    assert.equal(pages, 3);
    assert.equal(seen.size, RICH_OUTPUTS);
    const { balance } = await node.call(ROUTES.addressBalance, { params });
    assert.equal(String(total), balance);
  });

  test('[HTTP-05] [HTTP-27] [HTTP-30] [HIST-01] [HIST-02] [HIST-03] [HIST-04] [HIST-05] history has pages of 100, of 256 at most', async () => {
    const {
      node,
      story: { services },
    } = use;
    const params = { address: services.chain.text(RICH) };
    const first = await node.call(ROUTES.addressHistory, { params });
    assert.equal(first.events.length, 100);
    assert.equal(first.address, params.address);
    assert.equal(first.indexed_height, FINAL_HEIGHT);
    const large = await node.call(ROUTES.addressHistory, { params, query: { limit: 256 } });
    assert.equal(large.events.length, 256);
    assert.deepEqual(large.events.slice(0, 100), first.events);
    let count = 0;
    let cursor: string | undefined;
    do {
      const page: AddressHistory = await node.call(ROUTES.addressHistory, {
        params,
        query: { limit: 256, cursor },
      });
      count += page.events.length;
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    assert.equal(count, RICH_OUTPUTS);
  });

  test('[HIST-06] [HIST-07] [HIST-08] [HIST-09] [HIST-10] [HIST-11] history shows what came and what went', async () => {
    const {
      node,
      story: { services, payment },
    } = use;
    const { chain } = services;
    const sender = await node.call(ROUTES.addressHistory, { params: { address: chain.text(0) } });
    const ofPayment = sender.events.filter(({ transaction_id }) => transaction_id === payment.id);
    assert.deepEqual(
      ofPayment.map(({ kind, source, finalized_height }) => [kind, source, finalized_height]),
      [
        ['received', 'regular', 2],
        ['spent', 'genesis', 2],
      ],
    );
    const receiver = await node.call(ROUTES.addressHistory, { params: { address: chain.text(1) } });
    const received = receiver.events.find(({ transaction_id }) => transaction_id === payment.id);
    assert.deepEqual(received, {
      finalized_height: 2,
      kind: 'received',
      outpoint: { transaction_id: payment.id, output_index: 0 },
      amount: '5000',
      source: 'regular',
      transaction_id: payment.id,
    });
    const heights = receiver.events.map(({ finalized_height }) => finalized_height);
    assert.deepEqual(
      heights,
      heights.toSorted((a, b) => b - a),
      'newest first',
    );
  });

  test('[HTTP-10] batches of balances and outputs are of one height and in the order asked', async () => {
    const {
      node,
      story: { services },
    } = use;
    const addresses = [3, 1, 9, 1].map((account) => services.chain.text(account));
    const balances = await node.call(ROUTES.addressBalances, { body: { addresses } });
    assert.deepEqual(
      balances.balances.map(({ address }) => address),
      addresses,
    );
    for (const { address, balance, utxos } of balances.balances) {
      const single = await node.call(ROUTES.addressBalance, { params: { address } });
      assert.deepEqual([balance, utxos], [single.balance, single.utxos]);
      assert.equal(balances.indexed_height, single.indexed_height);
    }
    const outputs = await node.call(ROUTES.addressUtxosBatch, { body: { addresses } });
    assert.deepEqual(
      outputs.addresses.map(({ address }) => address),
      addresses,
    );
    for (const { address, utxos, truncated } of outputs.addresses) {
      const single = await node.call(ROUTES.addressUtxos, { params: { address } });
      assert.deepEqual(utxos, single.utxos);
      assert.equal(truncated, false);
    }
  });

  test('a batch lists 512 outputs of an address and 4,096 in all, and says what it leaves out', async () => {
    const {
      node,
      story: { services },
    } = use;
    const addresses = Array.from({ length: 10 }, () => services.chain.text(RICH));
    const { addresses: listed } = await node.call(ROUTES.addressUtxosBatch, {
      body: { addresses },
    });
    const lengths = listed.map(({ utxos }) => utxos.length);
    assert.equal(lengths[0], 512);
    assert.ok(lengths.reduce((sum, length) => sum + length, 0) <= 4_096);
    assert.deepEqual(
      listed.map(({ truncated }) => truncated),
      addresses.map(() => true),
    );
  });

  test('[HTTP-10] changes of several addresses come merged, oldest first, above a height, page by page', async () => {
    const {
      node,
      story: { services },
    } = use;
    const addresses = [0, 1, 2, 8, 9].map((account) => services.chain.text(account));
    const whole = await node.call(ROUTES.addressChanges, { body: { addresses, after_height: 0 } });
    const expected = services.chain.cuts.flatMap(({ height, result }) =>
      result.events.history
        .filter(({ address }) =>
          [0, 1, 2, 8, 9].some((account) => services.chain.address(account) === address),
        )
        .map(({ transactionId, kind }) => [height, transactionId, kind]),
    );
    assert.ok(expected.length > 8);
    assert.deepEqual(
      whole.changes.map(({ finalized_height, transaction_id, kind }) => [
        finalized_height,
        transaction_id,
        kind,
      ]),
      expected,
    );
    const paged = [];
    let cursor: string | undefined;
    do {
      const page: typeof whole = await node.call(ROUTES.addressChanges, {
        body: { addresses, after_height: 0, limit: 2, ...(cursor === undefined ? {} : { cursor }) },
      });
      paged.push(...page.changes);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    assert.deepEqual(paged, whole.changes);
    const fromFirst = await node.call(ROUTES.addressChanges, { body: { addresses } });
    assert.deepEqual(fromFirst.changes, whole.changes);
    const later = await node.call(ROUTES.addressChanges, { body: { addresses, after_height: 2 } });
    assert.deepEqual(
      later.changes,
      whole.changes.filter(({ finalized_height }) => finalized_height > 2),
    );
  });
});

test('a balance follows the chain', async (t) => {
  const node = await HttpNode.start(t);
  const { chain } = node.services;
  const address = chain.text(1);
  const read = () => node.call(ROUTES.addressBalance, { params: { address } });
  const before = await read();
  assert.deepEqual(await read(), before);
  const wire = await chain.pay(0, chain.address(1), 5_000n);
  await chain.cut([chain.mine([wire])]);
  assert.deepEqual(await read(), { ...before, indexed_height: 1 });
  await chain.cut();
  const after = await read();
  assert.equal(BigInt(after.balance), BigInt(before.balance) + 5_000n);
  assert.deepEqual([after.indexed_height, after.utxos], [2, before.utxos + 1]);
});

test('both ways to write an address are answered, and both follow the chain', async (t) => {
  const node = await HttpNode.start(t);
  const { chain } = node.services;
  const texts = [chain.text(1), chain.text(1).toUpperCase()];
  const read = async (text: string) => {
    const { balance, indexed_height } = await node.call(ROUTES.addressBalance, {
      params: { address: text },
    });
    return [balance, indexed_height];
  };
  const [before] = await read(texts[0] as string);
  for (const text of [...texts, ...texts]) assert.deepEqual(await read(text), [before, 0]);
  const wire = await chain.pay(0, chain.address(1), 5_000n);
  await chain.cut([chain.mine([wire])]);
  await chain.cut();
  const after = String(BigInt(before as string) + 5_000n);
  for (const text of [...texts, ...texts]) assert.deepEqual(await read(text), [after, 2]);
});

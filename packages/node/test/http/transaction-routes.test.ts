/** Transactions: submission, status, lists, bytes. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ROUTES } from 'svc-api';
import { validateManifest } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { errorOf, HttpNode } from './testing/http-node.ts';
import { RawClient } from './testing/raw-client.ts';
import { FINAL_HEIGHT } from './testing/story.ts';
import { useStoryNode } from './testing/story-node.ts';

suite('transactions over HTTP', () => {
  const use = useStoryNode();

  test('[HTTP-16] [STATUS-01] [STATUS-02] [STATUS-03] [STATUS-04] [STATUS-05] [STATUS-06] [STATUS-07] the status of each stage', async () => {
    const { story, node } = use;
    const { chain } = story.services;
    const read = (id: string) => node.call(ROUTES.transactionStatus, { params: { id } });
    const reference = (height: number) => ({
      height,
      cut_id: chain.cuts[height - 1]?.cutId,
      state_root: chain.cuts[height - 1]?.result.stateRoot,
      validator_set_id: chain.cuts[height - 1]?.result.validatorSetId,
    });
    assert.deepEqual(await read(story.payment.id), {
      api_version: 1,
      transaction_id: story.payment.id,
      lifecycle: 'finalized',
      observed_work: { block_id: story.paidBlockId },
      registered_cut: reference(1),
      finalized_cut: reference(2),
      failure: null,
    });
    const lost = await read(story.conflictId);
    assert.deepEqual(
      [lost.lifecycle, lost.failure, lost.finalized_cut?.height],
      ['failed', 'conflict', 3],
    );
    const pending = await read(story.pendingId);
    assert.deepEqual([pending.lifecycle, pending.observed_work], ['processing', null]);
    const receiving = await read(story.receivingId);
    assert.deepEqual(
      [receiving.lifecycle, receiving.observed_work?.block_id],
      ['receiving', story.heldBlockId],
    );
    const registered = await read(story.registeredId);
    assert.deepEqual(
      [registered.lifecycle, registered.registered_cut?.height, registered.finalized_cut],
      ['registered', FINAL_HEIGHT, null],
    );
    const unknown = await node.get(`/v1/transactions/${'00'.repeat(48)}/status`);
    assert.equal(unknown.status, 404);
    assert.equal(errorOf(unknown).code, 'not_found');
  });

  test('[HTTP-12] [LIMIT-03] 1,024 statuses at once, in order, what is unknown left out', async () => {
    const { story, node } = use;
    const strangers = Array.from({ length: 1_021 }, (_, index) =>
      index.toString(16).padStart(96, '0'),
    );
    const transaction_ids = [story.pendingId, ...strangers, story.payment.id, story.conflictId];
    const { statuses, finalized_height } = await node.call(ROUTES.transactionsStatus, {
      body: { transaction_ids },
    });
    assert.deepEqual(
      statuses.map(({ transaction_id }) => transaction_id),
      [story.pendingId, story.payment.id, story.conflictId],
    );
    assert.equal(finalized_height, FINAL_HEIGHT);
    const over = await node.post('/v1/transactions/status', {
      api_version: 1,
      transaction_ids: [...transaction_ids, story.burnId],
    });
    assert.equal(over.status, 400);
    assert.deepEqual(
      [errorOf(over).code, errorOf(over).path],
      ['too_many_items', 'transaction_ids'],
    );
  });

  test('[HTTP-15] the manifest is the text that the protocol module takes', async () => {
    const received = await use.node.get('/v1/transactions/manifest');
    assert.equal(validateManifest(received.text), received.text);
    const manifest = await use.node.call(ROUTES.transactionsManifest);
    assert.equal(manifest.chain_id, use.story.services.chain.chainId);
    assert.equal(manifest.max_inputs, '8');
  });

  test('[HTTP-09] [HTTP-33] recent transactions come newest first', async () => {
    const { chain } = use.story.services;
    const expected = chain.cuts.flatMap(({ result }) => result.events.outcomes).reverse();
    const { transactions } = await use.node.call(ROUTES.transactionsRecent, {
      query: { limit: 500 },
    });
    assert.deepEqual(
      transactions.map(({ transaction_id }) => transaction_id),
      expected.map(({ transactionId }) => transactionId),
    );
    const few = await use.node.call(ROUTES.transactionsRecent, { query: { limit: 2 } });
    assert.deepEqual(few.transactions, transactions.slice(0, 2));
  });

  test('a transaction by its id, with what it spends, final and waiting', async () => {
    const { story, node } = use;
    const { chain } = story.services;
    const final = await node.call(ROUTES.transaction, { params: { id: story.payment.id } });
    assert.equal(final.wire_hex, toHex(story.payment.wire));
    assert.equal(final.fee, '100000');
    assert.deepEqual(
      final.inputs.map(({ address, source }) => [address, source]),
      [[chain.text(0), 'genesis']],
    );
    assert.deepEqual(final.outputs[0], { output_index: 0, address: chain.text(1), amount: '5000' });
    const pending = await node.call(ROUTES.transaction, { params: { id: story.pendingId } });
    assert.equal(pending.status.lifecycle, 'processing');
    assert.equal(pending.inputs[0]?.address, chain.text(7));
    const bond = await node.call(ROUTES.transaction, { params: { id: story.bondId } });
    assert.equal(bond.operation?.type, 'bond');
    assert.equal(bond.operation?.data['owner_address'], chain.text(8));
    const held = await node.call(ROUTES.transaction, { params: { id: story.receivingId } });
    assert.equal(held.status.lifecycle, 'receiving');
  });

  test('[HTTP-11] pending payments of addresses, only those asked for', async () => {
    const { story, node } = use;
    const { chain } = story.services;
    const read = (accounts: readonly number[]) =>
      node.call(ROUTES.mempoolPending, {
        body: { addresses: accounts.map((account) => chain.text(account)) },
      });
    const receiver = await read([4]);
    assert.deepEqual(
      receiver.transactions.map(({ transaction_id, received, spent }) => ({
        transaction_id,
        received,
        spent,
      })),
      [
        {
          transaction_id: story.pendingId,
          received: [{ address: chain.text(4), output_index: 0, amount: '3000' }],
          spent: [],
        },
      ],
    );
    const sender = await read([7]);
    const { outputs, inputs } = await node.call(ROUTES.transaction, {
      params: { id: story.pendingId },
    });
    assert.deepEqual(
      sender.transactions[0]?.received.map(({ output_index }) => output_index),
      [1],
    );
    assert.equal(sender.transactions[0]?.received[0]?.amount, outputs[1]?.amount);
    assert.deepEqual(sender.transactions[0]?.spent[0]?.outpoint, inputs[0]?.outpoint);
    assert.deepEqual((await read([1])).transactions, []);
    const { balance } = await node.call(ROUTES.addressBalance, {
      params: { address: chain.text(7) },
    });
    assert.equal(balance, inputs[0]?.amount, 'what is pending is no part of a balance');
  });

  test('[HTTP-20] the mempool document', async () => {
    const { mempool } = use.story.services;
    const document = await use.node.call(ROUTES.mempool);
    assert.deepEqual(
      [document.transactions, document.bytes, document.mass],
      [1, mempool.bytes, String(mempool.mass)],
    );
    const [pooled] = [...mempool.all()];
    assert.ok(pooled !== undefined);
    assert.equal(document.max_fee_per_mass, String(pooled.fee / pooled.mass));
    assert.equal(document.oldest_millis, pooled.receivedAtMillis);
  });
});

suite('submission over HTTP', () => {
  test('[HTTP-14] [SUBMIT-01] [SUBMIT-02] [VER-01] a transaction is accepted once and then known', async (t) => {
    const node = await HttpNode.start(t);
    const { chain, mempool } = node.services;
    const wire = await chain.pay(0, chain.address(1), 5_000n);
    const { id } = chain.transactions.decode(wire);
    const body = { wire_hex: toHex(wire) };
    for (const api_version of [2, '1', undefined]) {
      const text = JSON.stringify({ api_version, ...body });
      assert.equal((await node.send('/v1/transactions', { body: text })).status, 400);
    }
    assert.equal(mempool.size, 0);
    assert.deepEqual(await node.call(ROUTES.transactionSubmit, { body }), {
      api_version: 1,
      transaction_id: id,
      result: 'accepted',
    });
    assert.equal(mempool.get(id)?.origin, 'own');
    assert.deepEqual(await node.call(ROUTES.transactionSubmit, { body }), {
      api_version: 1,
      transaction_id: id,
      result: 'known',
    });
    assert.equal(mempool.size, 1);
  });

  test('[HTTPERR-04] after a lost answer the status tells what became of the submission', async (t) => {
    const node = await HttpNode.start(t);
    const { chain } = node.services;
    const wire = await chain.pay(0, chain.address(1), 5_000n);
    const { id } = chain.transactions.decode(wire);
    const path = `/v1/transactions/${id}/status`;
    assert.equal((await node.get(path)).status, 404);
    const body = JSON.stringify({ api_version: 1, wire_hex: toHex(wire) });
    const lost = await RawClient.open(node.port);
    lost.socket.pause();
    lost.write(
      `POST /v1/transactions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    let asked = await node.get(path);
    for (let tries = 0; asked.status === 404 && tries < 500; tries++) asked = await node.get(path);
    lost.socket.destroy();
    assert.equal(JSON.parse(asked.text).lifecycle, 'processing');
    await chain.cut([chain.mine([wire])]);
    await chain.cut();
    const later = await node.call(ROUTES.transactionStatus, { params: { id } });
    assert.equal(later.lifecycle, 'finalized');
  });

  test('[HTTPERR-02] refusals: 422 for what can never hold, 409 for a conflict, 503 while the node catches up', async (t) => {
    const node = await HttpNode.start(t);
    const { chain } = node.services;
    const submit = (wire: Uint8Array, version = 1) =>
      node.post('/v1/transactions', { api_version: version, wire_hex: toHex(wire) });
    const wire = await chain.pay(0, chain.address(1), 5_000n);

    const cut = await submit(wire.subarray(0, 100));
    assert.deepEqual([cut.status, errorOf(cut).code], [422, 'truncated']);
    const forged = wire.slice();
    forged[wire.length - 100] = (forged[wire.length - 100] ?? 0) ^ 1;
    const bad = await submit(forged);
    assert.deepEqual([bad.status, errorOf(bad).code], [422, 'bad_spend_signature']);
    const cheap = await chain.pay(0, chain.address(1), 5_000n, 1n);
    const poor = await submit(cheap);
    assert.deepEqual([poor.status, errorOf(poor).code], [422, 'fee_too_low']);
    assert.equal((await submit(wire, 2)).status, 400);

    node.services.isSynced = false;
    const behind = await submit(wire);
    assert.deepEqual([behind.status, errorOf(behind).code], [503, 'not_synced']);
    assert.ok(JSON.parse(behind.text).retry_after_millis > 0);
    assert.match(behind.headers['retry-after'] ?? '', /^[1-9][0-9]*$/);
    node.services.isSynced = true;

    assert.equal((await submit(wire)).status, 200);
    const rival = await chain.pay(0, chain.address(2), 6_000n);
    const conflict = await submit(rival);
    assert.deepEqual([conflict.status, errorOf(conflict).code], [409, 'conflict']);
    assert.equal(node.services.mempool.size, 1);
  });

  test('several transactions are submitted in one request, each with an answer of its own', async (t) => {
    const node = await HttpNode.start(t);
    const { chain, mempool } = node.services;
    const wires = [
      await chain.pay(0, chain.address(1), 5_000n),
      await chain.pay(1, chain.address(2), 6_000n),
    ];
    const [first, second] = wires.map((wire) => chain.transactions.decode(wire).id);
    const forged = (wires[0] as Uint8Array).slice();
    forged[forged.length - 100] = (forged[forged.length - 100] ?? 0) ^ 1;
    const [one = '', two = '', bad = ''] = [...wires, forged].map((wire) => toHex(wire));
    const submit = (wires_hex: readonly string[]) =>
      node.call(ROUTES.transactionsSubmit, { body: { wires_hex } });

    for (const wires_hex of [[], [one, 'abc'], Array.from({ length: 9 }, () => one)]) {
      const received = await node.post('/v1/transactions/batch', { api_version: 1, wires_hex });
      assert.equal(received.status, 400, received.text);
    }
    assert.equal(mempool.size, 0, 'of a malformed request nothing is taken');

    const { receipts } = await submit([one, bad, two]);
    const [, refused] = receipts;
    assert.deepEqual(
      receipts.map(({ result, transaction_id }) => [result, transaction_id]),
      [
        ['accepted', first],
        ['refused', null],
        ['accepted', second],
      ],
    );
    const { refusal } = refused ?? assert.fail('there is no second receipt');
    assert.deepEqual([refusal?.status, refusal?.error.code], [422, 'bad_spend_signature']);
    assert.equal(mempool.size, 2);
    const again = await submit([two]);
    const known = { transaction_id: second, result: 'known', refusal: null };
    assert.deepEqual(again, { api_version: 1, receipts: [known] });
    node.services.isSynced = false;
    const [behind] = (await submit([one])).receipts;
    assert.deepEqual([behind?.refusal?.status, behind?.refusal?.error.code], [503, 'not_synced']);
    assert.ok((behind?.refusal?.retry_after_millis ?? 0) > 0);
  });

  test('wire_hex is lower-case hexadecimal of whole bytes', async (t) => {
    const node = await HttpNode.start(t);
    for (const wire_hex of ['ABCD', 'abc', 'zz', '0x12', ' 12', '']) {
      const received = await node.post('/v1/transactions', { api_version: 1, wire_hex });
      assert.equal(received.status, 400, JSON.stringify(wire_hex));
      assert.equal(errorOf(received).path, 'wire_hex');
    }
  });
});

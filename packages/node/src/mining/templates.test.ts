import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromHex, LABELS, toHex } from 'svc-wasm/base';
import { decodeWorkBlock, hashLabel, minerTag } from 'svc-wasm/protocol';
import { LOCAL_SOURCE } from '../blocks/hash-budget.ts';
import type { Template } from './template.ts';
import { Templates } from './templates.ts';
import type { MiningKit } from './testing/mining-kit.ts';
import { createMiningKit } from './testing/mining-kit.ts';

/** Finds a nonce and submits the block. */
async function submit({ kit }: MiningKit, { header, body }: Template): Promise<string> {
  const admission = await kit.pool.submit(kit.prove(header), body, LOCAL_SOURCE);
  return 'code' in admission ? admission.code : admission.type;
}

test('[TEMPLATE-01] a template has anchor, target, window, roots and a body that belong together', async (t) => {
  const mining = await createMiningKit(t);
  const { chain } = mining.kit;
  await chain.runTo(3);
  const ids = [await mining.pay(0, 400_000n), await mining.pay(1, 200_000n)];
  const { document, header, body } = mining.template();
  const block = decodeWorkBlock(header, body, chain.manifest);
  assert.deepEqual(document.anchor, { height: 3, cut_id: chain.head.cutId });
  assert.equal(document.registration_window_end, 99);
  assert.equal(block.header.registrationWindowEnd, 99n);
  assert.equal(document.target, chain.economy.workTarget.toString(16).padStart(64, '0'));
  assert.deepEqual(document.parents, [chain.head.cutId]);
  assert.deepEqual(document.roots, {
    parents: toHex(hashLabel(LABELS.parents, Uint8Array.of(1), fromHex(chain.head.cutId))),
    body: toHex(hashLabel(LABELS.body, body)),
    payout: toHex(hashLabel(LABELS.payee, fromHex(chain.address(8)))),
  });
  assert.deepEqual([document.header_hex, document.body_hex], [toHex(header), toHex(body)]);
  assert.deepEqual(document.transactions, ids);
  assert.deepEqual(
    block.body.transactions.map(({ id }) => toHex(id)),
    ids,
  );
  assert.equal(document.fees, '600000');
  const { extranonce, nonce } = document;
  for (const [bytes, offset] of [
    [header, extranonce.header_offset],
    [body, extranonce.body_offset],
  ] as const)
    assert.equal(toHex(bytes.subarray(offset, offset + 32)), extranonce.hex);
  const free = extranonce.hex.slice(2 * extranonce.free.offset);
  assert.deepEqual([free.length, free], [2 * extranonce.free.bytes, document.template_id]);
  assert.deepEqual(header.subarray(nonce.offset), new Uint8Array(nonce.bytes));
  assert.equal(await submit(mining, { ...mining.template(), header, body }), 'accepted');
});

test('[LIVE-11] [LIMIT-10] a template keeps its transactions for 5 seconds, is valid until its window ends, and makes one block', async (t) => {
  const mining = await createMiningKit(t);
  const { kit, clock } = mining;
  const first = await mining.pay(0);
  const early = mining.template();
  const second = await mining.pay(1);
  clock.advance(4_999);
  const kept = mining.template();
  assert.equal(early.document.transactions_until_millis, clock.now() + 1);
  clock.advance(1);
  const renewed = mining.template();
  const all = [early, kept, renewed];
  const carried = all.map(({ document }) => [...document.transactions].sort());
  assert.deepEqual(carried, [[first], [first], [first, second].sort()]);
  await kit.chain.runTo(94);
  assert.equal(await submit(mining, early), 'accepted');
  const again = { ...early, header: early.header.with(311, 1) };
  assert.equal(await submit(mining, again), 'body_used');
  assert.equal(await submit(mining, kept), 'accepted');
  await kit.chain.runTo(95);
  assert.equal(await submit(mining, renewed), 'late');
});

test('no two templates have one body, nor do those of another start', async (t) => {
  const mining = await createMiningKit(t);
  const { chain, anchors } = mining.kit;
  const { mempool, clock } = mining;
  const blocks = mining.kit.pool;
  const periods = { ofHeight: () => 0 };
  const others = new Templates({ chain, anchors, mempool, blocks, periods, clock });
  const roots = new Set<string>();
  for (let count = 0; count < 500; count++) {
    roots.add(mining.template().document.roots.body);
    const other = others.make({ payout: chain.address(8), maxTransactions: 1 });
    roots.add(String(other?.document.roots.body));
  }
  assert.equal(roots.size, 1_000);
});

test('what a waiting block carries, or what has left the mempool, is not carried again', async (t) => {
  const mining = await createMiningKit(t);
  const { kit } = mining;
  const ids = [await mining.pay(0, 400_000n), await mining.pay(1, 300_000n), await mining.pay(2)];
  assert.deepEqual(mining.template(2).document.transactions, ids.slice(0, 2));
  assert.deepEqual(mining.template(1).document.transactions, ids.slice(0, 1));
  assert.equal(await submit(mining, mining.template(1)), 'accepted');
  assert.deepEqual(
    mining.template(2).document.transactions,
    ids.slice(1, 2),
    'kept less the carried',
  );
  assert.deepEqual(mining.template(3).document.transactions, ids.slice(1), 'chosen anew');
  await kit.chain.cut(kit.pool.registrable(1));
  await kit.chain.cut();
  assert.equal(mining.mempool.get(ids[0] as string), undefined);
  assert.deepEqual(mining.template(3).document.transactions, ids.slice(1));
});

test('templates spread over the open anchors that have time, more of them on those with fewer blocks', async (t) => {
  const mining = await createMiningKit(t);
  const { chain, pool } = mining.kit;
  await chain.runTo(3);
  for (let count = 0; count < 8; count++)
    assert.equal(await submit(mining, mining.template()), 'accepted');
  await chain.cut(pool.registrable(4).slice(0, 4));
  let at = 0;
  mining.random = { below: (limit) => Math.floor((at++ % 100) * (limit / 100)) };
  const spread = () => {
    const counts = new Map<number, number>();
    for (let count = 0; count < 100; count++) {
      const { anchorHeight } = mining.template();
      counts.set(anchorHeight, (counts.get(anchorHeight) ?? 0) + 1);
    }
    return counts;
  };
  const counts = spread();
  const [full = 0, ...others] = [3, 1, 2, 4].map((height) => counts.get(height) ?? 0);
  assert.equal(counts.has(0), false, 'the genesis has no amount');
  assert.ok(
    others.every((count) => count > 2 * full),
    `cut 3 has four blocks and four wait: ${full} and ${others}`,
  );
  await chain.runTo(100);
  const heights = [...spread().keys()];
  assert.ok(Math.min(...heights) >= 14 && Math.max(...heights) > 90, String(heights));
  const template = mining.template();
  assert.equal(
    template.document.anchor.cut_id,
    mining.kit.anchors.at(template.anchorHeight)?.cutId,
  );
  assert.equal(await submit(mining, template), 'accepted');
});

test('a template is on an anchor of the dataset that the head has', async (t) => {
  const mining = await createMiningKit(t);
  const { chain, anchors, pool: blocks } = mining.kit;
  const { mempool, clock } = mining;
  await chain.runTo(40);
  const periods = { ofHeight: (height: number) => Math.floor(height / 30) };
  const templates = new Templates({ chain, anchors, mempool, blocks, periods, clock });
  for (let count = 0; count < 200; count++) {
    const template = templates.make({ payout: chain.address(8), maxTransactions: 0 });
    assert.ok((template?.anchorHeight ?? 0) >= 30);
  }
});

test('parents are blocks of the newest cut that registered any, at most eight', async (t) => {
  const mining = await createMiningKit(t);
  const { kit } = mining;
  for (let count = 0; count < 9; count++)
    assert.equal(await submit(mining, mining.template()), 'accepted');
  const { input } = await kit.chain.cut(kit.pool.registrable(1));
  await kit.chain.cut();
  const expected = input.registered.slice(0, 8).map(({ id }) => id);
  assert.deepEqual(mining.template().document.parents, expected);
  assert.equal(await submit(mining, mining.template()), 'accepted');
});

test('[LIMIT-09] the tag of the miner is in the extranonce of the block', async (t) => {
  const mining = await createMiningKit(t);
  const { chain, pool } = mining.kit;
  const tag = 'Miner (1) @x.y/z:+#!';
  assert.equal(tag.length, 20);
  const payout = chain.address(2);
  const template = mining.ports.templates.make({ payout, maxTransactions: 0, minerTag: tag });
  assert.ok(template !== undefined);
  assert.equal(minerTag(fromHex(template.document.extranonce.hex)), tag);
  let told = '';
  pool.accepted.on((pooled) => {
    told = pooled.minerTag;
  });
  assert.equal(await submit(mining, template), 'accepted');
  assert.equal(told, tag);
  const make = (minerTag: string) => () =>
    mining.ports.templates.make({ payout, maxTransactions: 0, minerTag });
  assert.throws(make(`${tag}.`), { code: 'bad_text' });
  assert.throws(make('ünicode'), { code: 'bad_text' });
});

test('addresses that ask at the same time, and templates that are remembered, are limited', async (t) => {
  const mining = await createMiningKit(t);
  const { templates } = mining.ports;
  const make = (number: number) =>
    templates.make({
      payout: `00${number.toString(16).padStart(96, '0')}`,
      maxTransactions: 1,
    });
  for (let number = 0; number < 256; number++) assert.ok(make(number) !== undefined);
  assert.equal(make(256), undefined);
  assert.ok(make(5) !== undefined);
  mining.clock.advance(5_000);
  const last = make(256);
  assert.ok(last !== undefined);
  while (templates.live < 4_096) make(256);
  const root = String(make(256)?.document.roots.body);
  assert.equal(templates.live, 4_096);
  assert.ok(templates.isOwn(root));
  await mining.kit.chain.runTo(94);
  assert.equal(templates.live, 4_096);
  await mining.kit.chain.cut();
  assert.deepEqual([templates.live, templates.isOwn(root)], [0, false]);
});

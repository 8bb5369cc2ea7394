import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, targetBytes } from 'svc-ledger';
import { assembleTransaction, encodeWitnessWithProfile } from 'svc-wasm';
import { concatBytes } from 'svc-wasm/base';
import { createManifest, encodeBody, encodeExtranonce } from 'svc-wasm/protocol';
import { addressText, signDraft } from '../testing/fixture-wallet.ts';
import { LOCAL_SOURCE } from './hash-budget.ts';
import { type BlockPair, PoolKit } from './testing/pool-kit.ts';
import { type RawChanges, rawBlock } from './testing/raw-block.ts';

const OTHER = new Uint8Array(48).fill(9);

interface Case {
  readonly name: string;
  readonly make: (kit: PoolKit) => BlockPair | Promise<BlockPair>;
  readonly expected: string;
  readonly says?: RegExp;
}

function edited(kit: PoolKit, at: number, value: number): BlockPair {
  const block = rawBlock(kit.chain);
  block.header[at] = value;
  return block;
}

/** A block whose proof of work holds, so that what comes after it is looked at. */
function proven(kit: PoolKit, changes: RawChanges): BlockPair {
  const { header, body } = rawBlock(kit.chain, changes);
  return { header: kit.prove(header), body };
}

/** Transactions of many outputs with short witnesses: heavy for their length. */
function heavyWires({ chain }: PoolKit): Uint8Array[] {
  const witness = encodeWitnessWithProfile('referenced', null, new Uint8Array(3_309));
  const address = addressText(chain.address(1));
  return Array.from({ length: 14 }, (_, number) => {
    const request = {
      valid_from_height: '1',
      valid_until_height: '20',
      inputs: [{ transaction_id: chain.chainId, output_index: String(number) }],
      outputs: Array.from({ length: 16 }, () => ({ address, amount: '1' })),
      payload_hex: '',
    };
    const body = encodeBody(JSON.stringify(request), chain.manifest);
    return assembleTransaction(body, [witness], chain.manifest.json);
  });
}

const BEFORE_THE_HASH: readonly Case[] = [
  {
    name: 'a header that is a byte short',
    make: ({ chain }) => {
      const { header, body } = rawBlock(chain);
      return { header: header.subarray(1), body };
    },
    expected: 'refused bad_length',
  },
  {
    name: 'a header of no bytes',
    make: ({ chain }) => ({ header: new Uint8Array(0), body: rawBlock(chain).body }),
    expected: 'refused bad_length',
  },
  {
    name: 'another version',
    make: (kit) => edited(kit, 0, 2),
    expected: 'refused unsupported_version',
  },
  {
    name: 'the tag of another chain',
    make: ({ chain }) => rawBlock(chain, { chainId: OTHER }),
    expected: 'refused wrong_chain',
  },
  { name: 'another window end', make: (kit) => edited(kit, 240, 0), expected: 'refused bad_block' },
  {
    name: 'reserved bytes set',
    make: (kit) => edited(kit, 255, 1),
    expected: 'refused not_canonical',
  },
  {
    name: 'a tag that is no tag',
    make: (kit) => edited(kit, 209, 7),
    expected: 'refused bad_block',
  },
  {
    name: 'an anchor ahead of the head',
    make: ({ chain }) =>
      rawBlock(chain, { header: { anchorHeight: BigInt(chain.head.height + 1) } }),
    expected: 'refused unknown_anchor',
  },
  {
    name: 'an anchor at the end of numbers',
    make: ({ chain }) => rawBlock(chain, { header: { anchorHeight: (1n << 64n) - 97n } }),
    expected: 'refused unknown_anchor',
  },
  {
    name: 'an anchor of another id',
    make: ({ chain }) => rawBlock(chain, { header: { anchorCutId: OTHER } }),
    expected: 'refused unknown_anchor',
  },
  {
    name: 'an anchor of another height',
    make: ({ chain }) =>
      rawBlock(chain, { header: { anchorHeight: BigInt(chain.head.height - 1) } }),
    expected: 'refused unknown_anchor',
  },
  {
    name: 'an easier target',
    make: ({ chain }) =>
      rawBlock(chain, { header: { target: targetBytes(chain.economy.workTarget + 1n) } }),
    expected: 'refused wrong_target',
  },
  {
    name: 'a harder target',
    make: ({ chain }) => rawBlock(chain, { header: { target: new Uint8Array(32) } }),
    expected: 'refused wrong_target',
  },
  {
    name: 'a body above the limit',
    make: ({ chain }) =>
      rawBlock(chain, { editBody: (body) => concatBytes(body, new Uint8Array(64_000)) }),
    expected: 'refused bad_length',
  },
  {
    name: 'another body than the header commits to',
    make: ({ chain }) => ({ header: rawBlock(chain).header, body: rawBlock(chain).body }),
    expected: 'refused bad_block',
  },
];

const AFTER_THE_HASH: readonly Case[] = [
  {
    name: 'a hash above the target',
    make: (kit) => kit.mined([], false),
    expected: 'refused target_missed',
  },
  {
    name: 'bytes behind the body',
    make: (kit) => proven(kit, { editBody: (body) => concatBytes(body, Uint8Array.of(0)) }),
    expected: 'refused trailing_bytes',
  },
  {
    name: 'a body that ends early',
    make: (kit) => proven(kit, { editBody: (body) => body.subarray(0, -1) }),
    expected: 'refused truncated',
  },
  {
    name: 'another root of the parents',
    make: (kit) => proven(kit, { header: { parentsRoot: OTHER } }),
    expected: 'refused bad_block',
  },
  {
    name: 'another payout than the body names',
    make: (kit) => proven(kit, { header: { payoutCommitment: OTHER } }),
    expected: 'refused bad_block',
  },
  {
    name: 'another extranonce than the body has',
    make: (kit) =>
      proven(kit, { header: { extranonce: encodeExtranonce('', new Uint8Array(11)) } }),
    expected: 'refused bad_block',
  },
  {
    name: 'the same parent twice',
    make: (kit) => proven(kit, { body: { parents: [OTHER, OTHER] } }),
    expected: 'refused bad_block',
  },
  {
    name: 'a parent that no cut registered',
    make: (kit) => proven(kit, { body: { parents: [OTHER] } }),
    expected: 'refused bad_parents',
  },
  {
    name: 'the anchor as parent where blocks were registered',
    make: (kit) => proven(kit, { body: { parents: [bytesOf(kit.chain.head.cutId)] } }),
    expected: 'refused bad_parents',
  },
  {
    name: 'bytes that are no transaction',
    make: (kit) => proven(kit, { body: { transactions: [new Uint8Array(40)] } }),
    expected: 'refused unsupported_version',
  },
  {
    name: 'a transaction of another chain',
    make: async (kit) => {
      const coins = await kit.chain.coins(1);
      const outputs = [{ address: kit.chain.address(2), amount: 5n }];
      const draft = { from: 1, coins: coins.slice(0, 1), outputs, validFrom: 1, validUntil: 9 };
      const wire = signDraft(draft, createManifest('development', OTHER));
      return proven(kit, { body: { transactions: [wire] } });
    },
    expected: 'refused wrong_chain',
  },
  {
    name: 'one transaction twice',
    make: async (kit) => {
      const wire = await kit.chain.pay(1, kit.chain.address(2), 5n);
      return proven(kit, { body: { transactions: [wire, wire] } });
    },
    expected: 'refused bad_block',
    says: /twice|duplicate|transaction/,
  },
  {
    name: 'two transactions that spend one output',
    make: async (kit) => {
      const wires = [5n, 6n].map((amount) => kit.chain.pay(1, kit.chain.address(2), amount));
      return proven(kit, { body: { transactions: await Promise.all(wires) } });
    },
    expected: 'refused bad_block',
  },
  {
    name: 'more mass than a block may have',
    make: (kit) => proven(kit, { body: { transactions: heavyWires(kit) } }),
    expected: 'refused bad_block',
    says: /mass/,
  },
];

async function verdictOf(
  kit: PoolKit,
  pair: BlockPair,
  says = /./,
  source?: string,
): Promise<string> {
  const admission = await kit.pool.submit(pair.header, pair.body, source);
  if ('message' in admission) assert.match(admission.message, says);
  return 'code' in admission ? `${admission.type} ${admission.code}` : admission.type;
}

function localVerdictOf(kit: PoolKit, pair: BlockPair): Promise<string> {
  return verdictOf(kit, pair, /./, LOCAL_SOURCE);
}

test('a block that breaks a rule is refused for it, before the hash where that can be', async (t) => {
  const kit = await PoolKit.create(t);
  const first = await kit.accept();
  await kit.chain.cut([first]);
  await kit.chain.cut();
  kit.hashes = 0;
  for (const { name, make, expected } of BEFORE_THE_HASH) {
    assert.equal(await verdictOf(kit, await make(kit)), expected, name);
    assert.equal(kit.hashes, 0, `${name} costs no hash`);
  }
  for (const { name, make, expected, says } of AFTER_THE_HASH) {
    kit.hashes = 0;
    assert.equal(await verdictOf(kit, await make(kit), says), expected, name);
    assert.equal(kit.hashes, 1, `${name} costs one hash`);
  }
  assert.equal(kit.pool.size, 0);
  const good = proven(kit, {});
  assert.equal(await verdictOf(kit, good), 'accepted');
});

test('[LIVE-11] a known block costs no hash, and a body that a cut has registered makes no second block', async (t) => {
  const kit = await PoolKit.create(t);
  const wire = await kit.chain.pay(1, kit.chain.address(2), 5n);
  const { header, body } = kit.mined([wire]);
  assert.equal(await verdictOf(kit, { header, body }), 'accepted');
  assert.equal(kit.hashes, 1);
  assert.equal(await verdictOf(kit, { header, body }), 'known');
  const pooled = kit.pool.get(
    String(kit.pool.carrying(kit.chain.transactions.decode(wire).id)?.block.id),
  );
  assert.ok(pooled);
  await kit.chain.cut([pooled]);
  const again = secondProof(kit, { header, body });
  assert.equal(await verdictOf(kit, again), 'refused body_used');
  assert.equal(await verdictOf(kit, { header, body }), 'known');
  await kit.chain.cut();
  assert.equal(kit.pool.size, 0);
  assert.equal(await verdictOf(kit, { header, body }), 'known');
  assert.equal(await verdictOf(kit, again), 'refused body_used');
  assert.equal(kit.hashes, 1);
});

test('two blocks with one body that peers bring both wait, and a cut registers one of them', async (t) => {
  const kit = await PoolKit.create(t);
  const { header, body } = kit.mined();
  const pairs = [{ header, body }, secondProof(kit, { header, body })];
  const verdicts = await Promise.all(pairs.map((pair) => verdictOf(kit, pair)));
  assert.deepEqual(verdicts, ['accepted', 'accepted']);
  assert.equal(kit.pool.size, 2);
  const third = { header: kit.prove(header.with(311, 2)), body };
  assert.equal(await localVerdictOf(kit, third), 'refused body_used');
  const [registered, ...others] = kit.pool.registrable(kit.chain.head.height + 1);
  assert.ok(registered);
  assert.deepEqual(others, []);
  await kit.chain.cut([registered]);
  assert.deepEqual(kit.pool.registrable(kit.chain.head.height + 1), []);
});

test('[LIVE-11] of miners on this machine a body takes one block, also of several at once', async (t) => {
  const { promise: isOpen, resolve: openDisk } = Promise.withResolvers<void>();
  const kit = await PoolKit.create(t, {
    wrapStore: (store) => {
      const write = store.write.bind(store);
      store.write = async (...operations) => {
        await isOpen;
        return write(...operations);
      };
      return store;
    },
  });
  const { header, body } = kit.mined();
  const submit = (pair: BlockPair) => localVerdictOf(kit, pair);
  const failed = { header: kit.prove(header, false), body };
  const proofs = [1, 2, 3].map((last) => ({ header: kit.prove(header.with(311, last)), body }));
  const submissions = [failed, ...proofs].map(submit);
  // Hashes are answered in the order in which they were asked for: all are before the first block is on the disk.
  await kit.light.check(header);
  openDisk();
  const verdicts = await Promise.all(submissions);
  assert.equal(verdicts[0], 'refused target_missed');
  assert.deepEqual(verdicts.toSorted().slice(0, 3), [
    'accepted',
    ...Array(2).fill('refused body_used'),
  ]);
  assert.equal(kit.pool.size, 1);
  kit.hashes = 0;
  assert.equal(await submit({ header, body }), 'refused body_used');
  assert.equal(kit.hashes, 0);
  await kit.reopen();
  assert.equal(await submit({ header, body }), 'refused body_used');
  const [first] = kit.pool.registrable(1);
  assert.ok(first);
  assert.equal(await submit(first.bytes), 'known');
  assert.equal(await verdictOf(kit, { header, body }), 'accepted', 'a peer may bring it');
});

test('a body whose block expired unregistered serves for another anchor that can have its parents', async (t) => {
  const kit = await PoolKit.create(t);
  await kit.chain.cut([await kit.accept()]);
  const extranonce = encodeExtranonce('raw', new Uint8Array(11).fill(7));
  const onHead = () => proven(kit, { header: { extranonce }, body: { extranonce } });
  const early = onHead();
  assert.equal(await localVerdictOf(kit, early), 'accepted');
  await kit.chain.runTo(95);
  const again = onHead();
  assert.deepEqual(again.body, early.body);
  assert.equal(await localVerdictOf(kit, again), 'refused body_used');
  await kit.chain.runTo(96);
  assert.equal(kit.pool.size, 0);
  assert.equal(await localVerdictOf(kit, again), 'accepted');
});

test('[LIMIT-21] a block is late when the next cut is 96 cuts after its anchor, and not before', async (t) => {
  const kit = await PoolKit.create(t);
  const [early, late] = [kit.mined(), kit.mined()];
  await kit.chain.runTo(94);
  assert.equal(await verdictOf(kit, early), 'accepted');
  await kit.chain.runTo(95);
  assert.equal(kit.pool.size, 0);
  kit.hashes = 0;
  assert.equal(await verdictOf(kit, late), 'late late');
  assert.equal(await verdictOf(kit, early), 'late late');
  assert.equal(kit.hashes, 0);
});

test('one block that comes several times at once is hashed once', async (t) => {
  const kit = await PoolKit.create(t);
  const { header, body } = kit.mined();
  const verdicts = await Promise.all(
    [1, 2, 3, 4].map((peer) => kit.pool.submit(header, body, `peer ${peer}`)),
  );
  assert.deepEqual(
    verdicts.map(({ type }) => type),
    ['accepted', 'known', 'known', 'known'],
  );
  assert.equal(kit.hashes, 1);
});

/** The body with another proof of work. */
function secondProof(kit: PoolKit, { header, body }: BlockPair): BlockPair {
  return { header: kit.prove(header.with(311, 1)), body };
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equalBytes, LABELS } from 'svc-wasm/base';
import { hashLabel } from 'svc-wasm/protocol';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { readWorkBlock } from './work-blocks.ts';

test('a body that was hashed to check it is not hashed again, and everything else of it is checked', async (t) => {
  const fixture = await ChainFixture.create();
  t.after(() => fixture.close());
  const { manifest, transactions } = fixture;
  const { header, body, id } = fixture.mine([]).bytes;
  const bodyRoot = hashLabel(LABELS.body, body);
  assert.equal(readWorkBlock({ header, body, bodyRoot }, manifest, transactions).block.id, id);
  const another = bodyRoot.with(0, (bodyRoot[0] as number) ^ 1);
  const refused = (bytes: Parameters<typeof readWorkBlock>[0]): void =>
    assert.throws(() => readWorkBlock(bytes, manifest, transactions), { name: 'SvcError' });
  refused({ header, body, bodyRoot: another });
  const torn = body.subarray(1);
  refused({ header, body: torn });
  refused({ header, body: torn, bodyRoot });
});

test('transactions are decoded once, with their block, unless somebody has decoded them before', async (t) => {
  const fixture = await ChainFixture.create();
  t.after(() => fixture.close());
  const { manifest, transactions } = fixture;
  const wires = [
    await fixture.pay(0, fixture.address(2), 5n),
    await fixture.pay(1, fixture.address(2), 6n),
  ];
  const { bytes } = fixture.mine(wires);
  const [known, ...rest] = wires.map((wire) => transactions.decode(wire));
  const again = t.mock.method(transactions, 'decodeOwn');
  const read = readWorkBlock(bytes, manifest, transactions);
  assert.deepEqual(
    read.transactions.map(({ id }) => id),
    [known?.id, ...rest.map(({ id }) => id)],
  );
  assert.deepEqual(
    read.transactions.map((transaction) => transactions.wireOf(transaction)),
    wires,
  );
  const asked: string[] = [];
  const withKnown = readWorkBlock(bytes, manifest, transactions, (id, wire) => {
    asked.push(id);
    return id === known?.id && equalBytes(wire, wires[0] as Uint8Array) ? known : undefined;
  });
  assert.deepEqual(
    asked,
    read.transactions.map(({ id }) => id),
  );
  assert.equal(withKnown.transactions[0], known);
  assert.equal(withKnown.transactions[1]?.id, rest[0]?.id);
  assert.equal(again.mock.callCount(), 0);
});

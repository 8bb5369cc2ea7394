import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeWorkBlock } from 'svc-wasm/protocol';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { readWorkBlock } from './work-blocks.ts';

test('a block that was decoded to check it is not decoded again', async (t) => {
  const fixture = await ChainFixture.create();
  t.after(() => fixture.close());
  const { manifest, transactions } = fixture;
  const { header, body, id } = fixture.mine([]).bytes;
  const decoded = decodeWorkBlock(header, body, manifest);
  const torn = { header, body: body.subarray(1) };
  assert.throws(() => readWorkBlock(torn, manifest, transactions));
  assert.equal(readWorkBlock({ ...torn, decoded }, manifest, transactions).block.id, id);
});

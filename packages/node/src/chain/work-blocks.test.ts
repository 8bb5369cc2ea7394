import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LABELS } from 'svc-wasm/base';
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

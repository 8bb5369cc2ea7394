/** Cursors that were not given for what they are sent with. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ROUTES } from 'svc-api';
import { errorOf, targetOf } from './testing/http-node.ts';
import { RICH } from './testing/story.ts';
import { useStoryNode } from './testing/story-node.ts';

suite('cursors', () => {
  const use = useStoryNode();
  const refused = async (target: string): Promise<void> => {
    const received = await use.node.get(target);
    assert.equal(received.status, 400, target);
    const { code, path } = errorOf(received);
    assert.ok(code === 'bad_cursor' || code === 'bad_length', code);
    assert.equal(path, 'cursor');
  };

  test('one of another route, address or height is refused', async () => {
    const { chain } = use.story.services;
    const params = { address: chain.text(RICH) };
    const { next_cursor: history } = await use.node.call(ROUTES.addressHistory, { params });
    const { next_cursor: utxos } = await use.node.call(ROUTES.addressUtxos, { params });
    const { next_cursor: changes } = await use.node.call(ROUTES.cutChanges, {
      params: { height: 0 },
    });
    assert.ok(history !== undefined && utxos !== undefined && changes !== undefined);
    await refused(targetOf(ROUTES.addressHistory, { params, query: { cursor: utxos } }));
    await refused(targetOf(ROUTES.addressUtxos, { params, query: { cursor: history } }));
    await refused(
      targetOf(ROUTES.addressHistory, {
        params: { address: chain.text(0) },
        query: { cursor: history },
      }),
    );
    await refused(
      targetOf(ROUTES.cutChanges, { params: { height: 2 }, query: { cursor: changes } }),
    );
    await refused(
      targetOf(ROUTES.cutTransactions, { params: { height: 0 }, query: { cursor: changes } }),
    );
    await refused(targetOf(ROUTES.stakingValidators, { query: { cursor: changes } }));
    const addresses = [chain.text(RICH)];
    const { next_cursor } = await use.node.call(ROUTES.addressChanges, {
      body: { addresses, after_height: 0, limit: 1 },
    });
    assert.equal(next_cursor, undefined, 'the rich account has nothing above the genesis');
  });

  test('garbage, other versions, other lengths and other spellings are refused', async () => {
    const params = { address: use.story.services.chain.text(RICH) };
    const { next_cursor } = await use.node.call(ROUTES.addressHistory, { params });
    const good = next_cursor ?? '';
    const bytes = Buffer.from(good, 'base64url');
    const changed = (at: number): string => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy.toString('base64url');
    };
    const wrong = [
      'x',
      'AAAA',
      'null',
      '0',
      good.slice(0, -1),
      `${good}A`,
      changed(0),
      changed(3),
      Buffer.concat([bytes, Buffer.of(0)]).toString('base64url'),
      'A'.repeat(512),
      'A'.repeat(513),
      '%00',
      '..%2f..',
      `${good}%3D`,
    ];
    for (const cursor of wrong)
      await refused(`${targetOf(ROUTES.addressHistory, { params })}?cursor=${cursor}`);
    const future = Buffer.from(bytes);
    future.writeUIntBE(9_999, 9, 6);
    await refused(
      targetOf(ROUTES.addressHistory, { params, query: { cursor: future.toString('base64url') } }),
    );
    await use.node.call(ROUTES.addressHistory, { params, query: { cursor: good } });
  });

  test('a position beyond everything gives an empty last page', async () => {
    const params = { height: 0 };
    const { next_cursor } = await use.node.call(ROUTES.cutChanges, { params });
    const bytes = Buffer.from(next_cursor ?? '', 'base64url');
    bytes.writeUInt32BE(0xffff_ffff, bytes.length - 4);
    const page = await use.node.call(ROUTES.cutChanges, {
      params,
      query: { cursor: bytes.toString('base64url') },
    });
    assert.deepEqual([page.changes, page.next_cursor], [[], undefined]);
  });
});

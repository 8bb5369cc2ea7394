/**
 * How long a payment can be executed, as its caller says.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused } from '../testing/daemon.ts';
import { requestId, type World } from './world.ts';

export function testValidity(world: World): void {
  test('a caller says for how many cuts a payment is valid, up to what the chain allows', async () => {
    const { rich } = world;
    const { address: to } = await rich.call('new_address', {});
    const { node } = rich.running.wallet;
    const { validityCutsMax } = (await node.rules()).terms;
    for (const valid_cuts of [10, validityCutsMax]) {
      const request_id = requestId();
      const before = node.height;
      const recipients = [{ to, amount: '1' }];
      if (valid_cuts === 10) await rich.call('send', { to, amount: '1', request_id, valid_cuts });
      else await rich.call('send_many', { recipients, request_id, valid_cuts });
      const after = node.height;
      const { transactions } = await rich.call('request', { request_id });
      const until = transactions[0]?.valid_until_height ?? 0;
      assert.ok(until >= before + valid_cuts && until <= after + valid_cuts, `${until}`);
      await world.until('paid', async () => {
        return (await rich.call('request', { request_id })).outcome === 'finalized';
      });
    }
    for (const valid_cuts of [0, 9, validityCutsMax + 1, 34_561]) {
      const params = { to, amount: '1', request_id: requestId(), valid_cuts };
      const { data } = await refused(-32602, 'invalid_params', rich.call('send', params));
      assert.equal(data['path'], 'valid_cuts');
    }
  });
}

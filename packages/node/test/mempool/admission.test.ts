import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSetting } from './kit/setting.ts';

let setting: Awaited<ReturnType<typeof createSetting>>;
before(async () => {
  setting = await createSetting();
});
after(async () => (await setting.workers()).close());

test('a signed payment is accepted, known the second time, and gone once a cut executes it', async () => {
  const { wallet, chain } = setting;
  const pool = await setting.open();
  const wire = wallet.pay({ coins: [wallet.coin(0)] });
  const { id } = chain.transactions.decode(wire);
  assert.deepEqual(await pool.submit(wire, 'own'), { type: 'accepted', id });
  assert.deepEqual(await pool.submit(wire, 'own'), { type: 'known', id });
});

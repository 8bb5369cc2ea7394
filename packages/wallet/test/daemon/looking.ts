/**
 * What a caller learns of the wallet, and the addresses it gives out.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { following, untilOn, type World } from './world.ts';

export function testLooking(world: World): void {
  test('[WALLET-02] status, balance, pending and rescan', async () => {
    const { rich, shop } = world;
    const status = await rich.call('status', {});
    assert.deepEqual(
      [status.node_synced, status.node_behind_by, status.network],
      [true, 0, 'development'],
    );
    assert.ok(status.indexed_height > 0 && status.outputs >= 10);
    const balance = await rich.call('balance', {});
    assert.equal(balance.balance, status.balance);
    assert.match(balance.available, /^[0-9]+\.[0-9]{8}$/);
    assert.deepEqual(await shop.call('pending', {}), { transactions: [] });
    const socket = await shop.socket();
    await socket.call('subscribe', { events: ['resync_required'] });
    assert.deepEqual(await shop.call('rescan', { gap: 30 }), { started: true, gap: 30 });
    await untilOn('rescanned', () => socket.of('resync_required').length === 1);
    await following(shop);
    socket.close();
  });

  test('a name gives out one address, and tells of a repeat with another label', async () => {
    const { shop } = world;
    const socket = await shop.socket();
    await socket.call('subscribe', { events: ['request_id_mismatch'] });
    const before = (await shop.call('status', {})).request_id_mismatches;
    const dave = { label: 'dave', request_id: 'customer-dave' };
    const first = await shop.call('new_address', dave);
    assert.equal(first.duplicate, false);
    const again = await shop.call('new_address', dave);
    assert.deepEqual(again, { ...first, duplicate: true });
    const other = await shop.call('new_address', { ...dave, label: 'david' });
    assert.deepEqual(other, { ...first, duplicate: true, mismatch: true });
    await untilOn('it is told', () => socket.notifications.length > 0);
    const { caller, method, request_id } = socket.notifications[0]?.params ?? {};
    assert.deepEqual([caller, method, request_id], ['main', 'new_address', 'customer-dave']);
    assert.equal((await shop.call('status', {})).request_id_mismatches, before + 1);
    socket.close();
    await shop.call('set_label', { address: first.address, label: 'dave smith' });
    const later = await shop.call('new_address', dave);
    assert.deepEqual([later.label, later.mismatch], ['dave smith', undefined]);
    const without = await shop.call('new_address', { label: 'dave' });
    assert.deepEqual([without.index, without.duplicate], [first.index + 1, undefined]);
  });

  test('[WALLET-03] [WALLET-09] [WALLET-13] new_address, receive, addresses, set_label, validate_address', async () => {
    const { rich, shop } = world;
    const alice = await shop.call('new_address', { label: 'alice' });
    const bob = await shop.call('new_address', { label: 'bob' });
    assert.notEqual(alice.address, bob.address);
    assert.equal(bob.index, alice.index + 1);
    const request = await shop.call('receive', {
      amount: '1.5',
      label: 'shop',
      message: 'tea & cake',
    });
    assert.match(request.uri, /\?amount=1\.5&label=shop&message=tea%20%26%20cake$/);
    assert.equal((await shop.call('receive', {})).address, request.address);
    assert.deepEqual(await shop.call('set_label', { address: bob.address, label: 'robert' }), {
      address: bob.address,
      label: 'robert',
    });
    const first = await shop.call('addresses', { limit: 1 });
    assert.equal(first.addresses.length, 1);
    const rest = await shop.call('addresses', { cursor: first.next_cursor as string });
    assert.deepEqual(
      [...first.addresses, ...rest.addresses].slice(-3).map(({ label }) => label),
      ['alice', 'robert', null],
    );
    assert.deepEqual((await shop.call('addresses', { label: 'robert' })).addresses.length, 1);
    const checked = await rich.call('validate_address', { address: alice.address.toUpperCase() });
    assert.deepEqual([checked.valid, checked.own, checked.address], [true, false, alice.address]);
    assert.deepEqual([checked.words?.split(' ').length, checked.words], [6, alice.words]);
    assert.equal((await shop.call('validate_address', { address: alice.address })).own, true);
    const broken = await shop.call('validate_address', {
      address: `${alice.address.slice(0, -1)}!`,
    });
    assert.deepEqual([broken.valid, broken.reason?.code], [false, 'bad_address']);
  });
}

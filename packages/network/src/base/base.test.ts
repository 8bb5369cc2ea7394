import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalHost, hostBytes, hostFromBytes, isPublic, rangeOf } from './addresses.ts';
import { RecentSet } from './recent-set.ts';

test('reserved addresses are not public, however they are written', () => {
  const inside = [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '198.18.0.1',
    '192.0.2.1',
    '240.0.0.1',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    'fe80::1',
    'fc00::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '::7f00:1',
    '::a00:1',
    '1::1',
    '1fff:ffff::1',
    '4000::1',
    '5f00::1',
    '8000::1',
    '3fff::1',
    'fec0::1',
  ];
  assert.deepEqual(inside.filter(isPublic), []);
  assert.ok(
    isPublic('8.8.8.8') &&
      isPublic('2606:4700::1') &&
      isPublic('3ffe::1') &&
      isPublic('::ffff:8.8.8.8'),
  );
});

test('a host is an address in one form, or none', () => {
  const wrong = ['127.1', '0x7f.0.0.1', '2130706433', '010.0.0.1', 'fe80::1%eth0', 'localhost', ''];
  assert.deepEqual(
    wrong.map((text) => canonicalHost(text)),
    wrong.map(() => undefined),
  );
  assert.equal(canonicalHost('::ffff:1.2.3.4'), '1.2.3.4');
  assert.equal(canonicalHost('2606:4700:0:0::1'), '2606:4700::1');
  for (const host of ['1.2.3.4', '2606:4700::1'])
    assert.equal(hostFromBytes(hostBytes(host)), host);
});

test('ranges are IPv4 /24 and IPv6 /48', () => {
  assert.equal(rangeOf('1.2.3.4'), rangeOf('1.2.3.250'));
  assert.notEqual(rangeOf('1.2.3.4'), rangeOf('1.2.4.4'));
  assert.equal(rangeOf('2606:4700:1::1'), rangeOf('2606:4700:1:ffff::9'));
  assert.notEqual(rangeOf('2606:4700:1::1'), rangeOf('2606:4700:2::1'));
  assert.equal(rangeOf('::ffff:1.2.3.4'), rangeOf('1.2.3.9'));
});

test('a recent set remembers the last half of its limit and never holds more', () => {
  const set = new RecentSet(10);
  for (let i = 0; i < 100; i++) assert.equal(set.add(`${i}`), true);
  assert.ok(set.size <= 10);
  for (let i = 95; i < 100; i++) assert.ok(set.has(`${i}`));
  assert.equal(set.has('1'), false);
  assert.equal(set.add('99'), false);
});

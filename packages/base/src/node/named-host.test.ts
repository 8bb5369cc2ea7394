import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesListener } from './named-host.ts';

test('a listener on loopback answers to addresses and localhost, and to no name that a page may have bound here', () => {
  for (const listensOn of ['127.0.0.1', '127.0.0.2', '::1', '::ffff:127.0.0.1', 'localhost']) {
    for (const own of [
      undefined,
      'localhost',
      'LOCALHOST:28794',
      '127.0.0.1',
      '127.0.0.1:28794',
      '[::1]:28794',
      '192.0.2.7:9',
    ]) {
      assert.equal(namesListener(own, listensOn), true, `${own} at ${listensOn}`);
    }
    for (const foreign of [
      '',
      'evil.example',
      'evil.example:28794',
      '127.0.0.1.nip.io:28794',
      'localhost.evil.example',
      'localhost:28794@evil.example',
      '[evil.example]',
    ]) {
      assert.equal(namesListener(foreign, listensOn), false, `${foreign} at ${listensOn}`);
    }
  }
});

test('beyond loopback a listener is public and answers to any name', () => {
  for (const listensOn of ['0.0.0.0', '::', '10.0.0.5', '2001:db8::1']) {
    assert.equal(namesListener('node.example:28790', listensOn), true, listensOn);
  }
});

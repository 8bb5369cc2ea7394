import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectNode } from './expect-node.ts';

test('a version of Node that is too old is named, with what to do', () => {
  expectNode(process.versions.node);
  expectNode('100.0.0');
  for (const version of ['20.19.0', '24.1.0', '25.9.9'])
    assert.throws(() => expectNode(version), { message: new RegExp(`needs Node 26.*${version}`) });
});

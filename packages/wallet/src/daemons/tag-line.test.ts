import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tagLine } from './tag-line.ts';

test('every line names its wallet and is JSON, whatever a daemon has written', () => {
  const read = (line: string): unknown => JSON.parse(tagLine('hot', line));
  assert.deepEqual(read('{"level":30,"message":"x"}'), { wallet: 'hot', level: 30, message: 'x' });
  assert.deepEqual(read('error: "no"'), { wallet: 'hot', message: 'error: "no"' });
  assert.deepEqual(read(''), { wallet: 'hot', message: '' });
});

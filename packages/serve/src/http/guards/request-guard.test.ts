import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostGuard } from './request-guard.ts';

test('a Host is judged by itself, whatever was allowed or refused before it', () => {
  const guard = new HostGuard(['node.example']);
  const judged: readonly (readonly [string | undefined, boolean])[] = [
    ['', false],
    [undefined, false],
    ['node.example', true],
    ['NODE.example:8080', true],
    ['evil.example', false],
    ['node.example:0', false],
    ['node.example:65536', false],
    ['localhost', true],
  ];
  for (const [header, isAllowed] of judged)
    assert.equal(guard.allows(header), isAllowed, String(header));
});

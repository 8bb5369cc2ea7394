import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { METHOD_LIST, RPC_ERRORS } from 'svc-api/rpc';
import { JSON_RPC_PAGE, jsonRpcPage } from './json-rpc-page.ts';

test('the reference of the daemon is what the contract says', () => {
  const page = readFileSync(new URL(`../../../../${JSON_RPC_PAGE}`, import.meta.url), 'utf8');
  assert.equal(page, jsonRpcPage(), 'run packages/wallet/src/reference/write.ts');
  for (const { name } of METHOD_LIST) assert.ok(page.includes(`### \`${name}\``), name);
  for (const kind of Object.keys(RPC_ERRORS)) assert.ok(page.includes(`\`${kind}\``), kind);
});

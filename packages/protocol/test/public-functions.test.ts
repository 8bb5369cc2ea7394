import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as svc from '../src/entry/node.ts';
import { PUBLIC_CHECKS, runPublicChecks } from './public-functions/index.ts';

await svc.init();

for (const { functions, error } of runPublicChecks(svc)) {
  test(`public functions in Node: ${functions}`, () => assert.equal(error, undefined));
}

test('every public check names functions that exist', () => {
  const methods = Object.getOwnPropertyNames(svc.WalletRoot.prototype);
  for (const name of PUBLIC_CHECKS.flatMap(({ functions }) => functions)) {
    assert.ok(Object.hasOwn(svc, name) || methods.includes(name), name);
  }
});

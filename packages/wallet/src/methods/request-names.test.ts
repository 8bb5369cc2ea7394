import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { METHODS } from 'svc-api/rpc';
import { Compile } from 'typebox/compile';

const ROOT = new URL('../../../../', import.meta.url).pathname;
const NAME = /"request_id": ?"([^"]*)"/g;
/** Examples of answers name what the daemon made itself. */
const OWN = /^auto:/;

test('every name of a request in the documents is one that the daemon takes', () => {
  const isName = Compile(METHODS.send.params.properties.request_id);
  const pages = globSync(['README.md', 'docs/{start,integrate,operate,reference}/*.md'], {
    cwd: ROOT,
  });
  let found = 0;
  for (const page of pages) {
    for (const [, name = ''] of readFileSync(`${ROOT}${page}`, 'utf8').matchAll(NAME)) {
      if (OWN.test(name)) continue;
      found++;
      assert.ok(isName.Check(name), `${page}: ${name}`);
    }
  }
  assert.ok(found > 5);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as svc from '../../src/entry/node.ts';
import * as kernel from '../../src/kernel/index.ts';
import { recordCalls } from './record.ts';

await svc.init();

const calls = recordCalls(svc, kernel);

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The document in a text, if there is one. */
function documentOf(text: unknown): Json | undefined {
  if (typeof text !== 'string' || !/^[[{]/.test(text)) return undefined;
  return JSON.parse(text) as Json;
}

/** Every value within a document, with its path. */
function* leaves(document: Json, path: readonly string[] = []): Generator<[string[], Json]> {
  if (typeof document !== 'object' || document === null) yield [[...path], document];
  else for (const [key, value] of Object.entries(document)) yield* leaves(value, [...path, key]);
}

function withValue(document: Json, [key, ...rest]: readonly string[], value: Json): Json {
  if (key === undefined) return value;
  const copy = structuredClone(document) as { [key: string]: Json };
  copy[key] = withValue(copy[key] as Json, rest, value);
  return copy;
}

test('[CONV-08] no document that the module answers holds a number, but for api_version', () => {
  let documents = 0;
  for (const { name, result } of calls) {
    const document = documentOf(result);
    if (document === undefined) continue;
    documents++;
    for (const [path, value] of leaves(document)) {
      const isVersion = path.at(-1) === 'api_version';
      assert.equal(typeof value === 'number', isVersion, `${name}: ${path.join('.')}`);
    }
  }
  assert.ok(documents >= 20, `${documents} documents`);
});

test('[CONV-08] no integer of a document is taken as a number, amounts among them', () => {
  let integers = 0;
  for (const { name, args, again } of calls) {
    for (const [position, argument] of args.entries()) {
      // What a wallet file holds is the caller's own.
      const document =
        name === 'sealWalletFile' && position === 0 ? undefined : documentOf(argument);
      if (document === undefined) continue;
      for (const [path, value] of leaves(document)) {
        if (typeof value !== 'string' || !/^[0-9]{1,15}$/.test(value)) continue;
        integers++;
        const changed = JSON.stringify(withValue(document, path, Number(value)));
        assert.throws(
          () => again(args.with(position, changed)),
          { name: 'SvcError', code: 'bad_type' },
          `${name}: ${path.join('.')}`,
        );
      }
    }
  }
  assert.ok(integers >= 50, `${integers} integers`);
});

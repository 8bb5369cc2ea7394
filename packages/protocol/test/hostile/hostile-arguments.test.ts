import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CODES } from '../../src/base/error-codes.ts';
import * as svc from '../../src/entry/node.ts';
import * as kernel from '../../src/kernel/index.ts';
import { recordCalls } from './record.ts';
import { HOSTILE } from './values.ts';

await svc.init();

const ZERO = ['minus zero'];
const JSON_TEXTS = [
  ...['a prototype in JSON', 'null as JSON', 'an empty object as JSON', 'an empty list as JSON'],
];
const TEXTS = ['a word', 'a null character', 'the text of a number', ...JSON_TEXTS];
const BYTES = [
  ...['bytes that lie about their length', 'no bytes', 'one byte'],
  ...['bytes out of bounds', 'shared bytes'],
];

const OBJECTS = [
  ...['a String object', 'an object', 'an object without prototype', 'an object that throws'],
  ...['a proxy of bytes', 'bytes in name only', 'a buffer', 'a date', 'a map'],
];

/** By function and position: the values of the list that are what the parameter is meant for. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  'spendMessage 1': ZERO,
  'verifyTransaction 2': ['null'],
  'verifyTransactionWithReferencedKeys 2': ['null'],
  'encodeWitnessWithProfile 1': ['undefined', 'null'],
  'decodeRecipientPayloads 1': ['undefined'],
  'verifyAddressProof 2': ZERO,
  'sealWalletFile 0': JSON_TEXTS,
  'sealWalletFile 1': TEXTS,
  'sealWalletFile 2': ['undefined', 'an empty object as JSON'],
  'WalletRoot.fromMnemonic 1': ['undefined', 'empty text', ...TEXTS],
  'WalletRoot.sign 4': ['true'],
  'kernel.sha384 0': [...BYTES, 'many bytes'],
  'mlDsa65.sign 1': BYTES,
  'mlDsa65.sign 2': ['undefined', ...OBJECTS],
};

function meant(name: string, position: number): readonly string[] {
  const isPath = /^WalletRoot\.(?!from|sign$)/.test(name) || name === 'WalletRoot.sign';
  const known = MEANT[`${name} ${position}`];
  return known ?? (isPath && position < 3 ? ZERO : []);
}

/** The outcome of a call: the code of its refusal, or another result. */
function outcome(call: () => unknown): string {
  try {
    return call() === false ? 'answered no' : 'accepted';
  } catch (error) {
    if (!(error instanceof svc.SvcError)) return `threw ${String(error)}`;
    return Object.hasOwn(ERROR_CODES, error.code) ? error.code : `threw ${error.code}`;
  }
}

for (const { name, args, again } of recordCalls(svc, kernel)) {
  test(`${name} refuses hostile values of its ${args.length} parameters with a code`, () => {
    for (const position of args.keys()) {
      const accepted: string[] = [];
      for (const [what, value] of Object.entries(HOSTILE)) {
        const found = outcome(() => again(args.with(position, value)));
        if (found === 'accepted') accepted.push(what);
        else assert.doesNotMatch(found, /^threw|^kernel_trap$/, `${position}, ${what}`);
      }
      const expected = meant(name, position);
      assert.deepEqual(
        accepted.filter((what) => !expected.includes(what)),
        [],
        `parameter ${position}`,
      );
    }
    assert.equal(
      outcome(() => again(args)),
      'accepted',
      'and is as usable as before',
    );
  });
}

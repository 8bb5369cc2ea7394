import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readArguments } from './arguments.ts';

test('a replay command is read back whole', () => {
  const read = readArguments(
    '--level finality --seed 226 --validators 4..7 --without clog,disk --always peers,rotation --safety-ms 2903 --mutant x'.split(
      ' ',
    ),
  );
  assert.ok(typeof read !== 'string');
  assert.equal(read.isSingle, true);
  assert.equal(read.mutant, 'x');
  assert.equal(read.isRecorded, false);
  assert.deepEqual(read.campaign, {
    validatorsMin: 4,
    validatorsMax: 7,
    without: new Set(['clog', 'disk']),
    always: new Set(['peers', 'rotation']),
    safetyMsMax: 2903,
    from: 226,
    seeds: 1,
    failuresMax: 1,
    repeatEvery: 1,
  });
});

const REFUSED: readonly [string, RegExp][] = [
  ['--seeds many', /--seeds: expected a whole number/],
  ['--validators 4..65', /--validators: expected a whole number from 1 to 64, found 65/],
  ['--without rain', /--without: rain is not one of loss/],
  ['--always loss', /--always: loss is not one of changes, peers/],
  ['--level space', /level space is not known/],
  ['--sedes 4', /sedes/],
  ['--record --seed 4', /only whole campaigns/],
  ['--record --mutant noLockCheck', /only whole campaigns/],
];
for (const [line, reason] of REFUSED)
  test(`${line} is refused with a reason`, () => {
    const read = readArguments(line.split(' '));
    assert.ok(typeof read === 'string');
    assert.match(read, reason);
  });

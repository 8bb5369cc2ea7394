import assert from 'node:assert/strict';
import { test } from 'node:test';
import { METHOD_LIST, METHODS, type MethodName } from 'svc-api/rpc';
import { buildProgram } from '../cli/program.ts';
import { METHOD_TABLE, makerOf } from './table.ts';

const rows = METHOD_LIST.map(
  ({ name }) => [name as MethodName, METHOD_TABLE[name as MethodName]] as const,
);

test('a method has a command that the program knows', () => {
  const commands = new Set(buildProgram().commands.map((command) => command.name()));
  for (const [name, { command }] of rows) {
    if (command === null) continue;
    assert.ok(commands.has(typeof command === 'string' ? command : command.name), name);
  }
});

test('a command asks for what its method requires, and for nothing that the method refuses', () => {
  for (const [name, { command }] of rows) {
    const contract = METHODS[name];
    if (command === null || typeof command === 'string') continue;
    assert.equal(command.method, name);
    const required: readonly string[] = contract.params.required ?? [];
    for (const { isRequired, kind, param } of command.options) {
      assert.ok(Object.hasOwn(contract.params.properties, param), `${name}: ${param}`);
      // Who is paid comes from options, from a file or from both: neither option alone is required.
      if (kind === 'pairs' || kind === 'recipients') continue;
      assert.equal(isRequired === true, required.includes(param), `${name}: ${param}`);
    }
    const offered: readonly string[] = command.options.map(({ param }) => param);
    const missing = required.filter((param) => param !== 'request_id' && !offered.includes(param));
    assert.deepEqual(missing, [], name);
  }
});

test('the journal finds makers of paying methods, and of no others', () => {
  for (const [name, { maker }] of rows) {
    const contract = METHODS[name];
    const isPaying = 'submitted' in ((contract.result as { properties?: object }).properties ?? {});
    assert.equal(maker !== null, isPaying, name);
    if (isPaying) assert.equal(typeof makerOf(name, {}), 'function');
    else assert.throws(() => makerOf(name, {}), RangeError);
  }
  assert.throws(() => makerOf('toString', {}), RangeError);
});

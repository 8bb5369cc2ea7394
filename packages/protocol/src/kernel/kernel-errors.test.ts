import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as numbers from '../../assembly/errors.ts';
import { ERROR_CODES } from '../base/error-codes.ts';
import { KERNEL_ERRORS, kernelError } from './kernel-errors.ts';

test('every error number of the kernel has a code and a message, and no entry lacks a number', () => {
  const named = Object.keys(numbers).filter((name) => name !== 'OK');
  assert.deepEqual(Object.keys(KERNEL_ERRORS).sort(), named.sort());
});

test('error numbers are distinct, whole and above zero', () => {
  const values = Object.entries(numbers).filter(([name]) => name !== 'OK');
  assert.equal(new Set(values.map(([, value]) => value)).size, values.length);
  for (const [name, value] of values) assert.ok(Number.isInteger(value) && value > 0, name);
});

test('codes are listed and messages are sentences without a full stop', () => {
  for (const [name, { code, message }] of Object.entries(KERNEL_ERRORS)) {
    assert.ok(Object.hasOwn(ERROR_CODES, code), name);
    assert.match(message, /^[a-z].*[^.]$/, name);
  }
});

test('an index becomes a path only where the error blames an item of a list', () => {
  assert.equal(kernelError(numbers.DUPLICATE_INPUT, 3).path, 'inputs[3]');
  assert.equal(kernelError(numbers.DUPLICATE_INPUT, 3, 'body').path, 'body.inputs[3]');
  assert.equal(kernelError(numbers.DUPLICATE_INPUT).path, undefined);
  assert.equal(kernelError(numbers.FEE_TOO_LOW, 3).path, undefined);
  assert.equal(kernelError(numbers.FEE_TOO_LOW, -1, 'wire').path, 'wire');
});

test('an unknown number is an error too', () => {
  assert.equal(kernelError(9999).code, 'kernel_unavailable');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Finding, type Target } from '../../packages/protocol/fuzz/target.ts';
import { SvcError } from '../../packages/protocol/src/base/svc-error.ts';
import { execute, fuzzTarget } from './fuzz-target.ts';
import { TARGETS } from './targets.ts';

const EXECUTIONS = 300;

for (const target of TARGETS) {
  test(`${target.name}: ${EXECUTIONS} mutated inputs are accepted or refused, nothing else`, () => {
    const executions = target.share < 1 ? 20 : EXECUTIONS;
    const report = fuzzTarget(target, { seed: 'test', executions });
    assert.equal(report.executions, executions);
    assert.ok(report.accepted < executions, 'mutations must reach a refusal');
  });
}

function faulty(run: (input: Uint8Array) => void): Target {
  return { name: 'faulty', share: 1, seeds: [new Uint8Array(8)], run };
}

test('the fuzzer notices exceptions, traps, unknown codes and refused seeds', () => {
  const faults: readonly ((input: Uint8Array) => void)[] = [
    () => {
      throw new TypeError('x is undefined');
    },
    () => {
      throw new SvcError('kernel_trap', 'unreachable');
    },
    () => {
      throw new SvcError('no_such_code' as 'bad_type', 'what');
    },
    () => {
      throw new SvcError('bad_type', '');
    },
  ];
  for (const fault of faults) {
    assert.throws(() => execute(faulty(fault), new Uint8Array(1), 1), Finding);
  }
  const refusing = faulty(() => {
    throw new SvcError('bad_type', 'never');
  });
  assert.throws(() => fuzzTarget(refusing, { seed: '1', executions: 1 }), Finding);
});

test('the fuzzer finds a fault behind a condition, at the same execution for the same seed', () => {
  const target = faulty((input) => {
    if (input.length === 8 && (input[3] as number) > 0x7f) throw new Error('found it');
  });
  const find = (seed: string) => {
    try {
      fuzzTarget(target, { seed, executions: 100_000 });
    } catch (error) {
      assert.ok(error instanceof Finding);
      return error.execution;
    }
    return assert.fail('expected a finding');
  };
  assert.equal(find('a'), find('a'));
  assert.ok(find('b') > 0);
});

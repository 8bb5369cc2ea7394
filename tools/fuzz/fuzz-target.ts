/**
 * Fuzzes one target. Inputs that make it answer in a new way (another code, another field) are kept
 * and mutated further, so that deep rules are reached without instrumenting anything. Everything
 * follows from the seed: the same seed finds the same thing at the same execution.
 */

import { Finding, type Target } from '../../packages/protocol/fuzz/target.ts';
import { ERROR_CODES } from '../../packages/protocol/src/base/error-codes.ts';
import { SvcError } from '../../packages/protocol/src/base/svc-error.ts';
import { Random } from '../../packages/protocol/test/generate/random.ts';
import { Mutator } from './mutate.ts';

const KEPT_MAX = 256;
/** Far above the time of any input, so that a busy machine does not look like a hang. */
const EXECUTION_MS_MAX = 500;
const ACCEPTED = 'accepted';

export interface FuzzOptions {
  readonly seed: string;
  readonly executions: number;
  /** Called now and then with the number of executions done. */
  readonly onProgress?: (done: number) => void;
}

export interface FuzzReport {
  readonly target: string;
  readonly executions: number;
  readonly accepted: number;
  /** How many different answers there were. */
  readonly answers: number;
  readonly milliseconds: number;
  readonly slowestMilliseconds: number;
}

/** Runs the target once; returns a short name of its answer or throws a `Finding`. */
export function execute(target: Target, input: Uint8Array, execution: number): string {
  try {
    target.run(input);
    return ACCEPTED;
  } catch (error) {
    const fault = faultOf(error);
    if (fault !== undefined) throw new Finding(target.name, execution, input.slice(), fault, error);
    return answerOf(error as SvcError);
  }
}

/** Names code and field. The path of an unknown field is the input's own text and says nothing new. */
function answerOf({ code, path }: SvcError): string {
  if (code === 'unknown_field') return code;
  return `${code} ${(path ?? '').replaceAll(/[0-9]+/g, '#')}`;
}

function faultOf(error: unknown): string | undefined {
  if (!(error instanceof SvcError)) return `threw ${String(error)}`;
  if (error.code === 'kernel_trap') return `trapped the kernel: ${error.message}`;
  if (!Object.hasOwn(ERROR_CODES, error.code)) return `unknown code ${error.code}`;
  return error.message === '' ? 'an error without a message' : undefined;
}

export function fuzzTarget(target: Target, options: FuzzOptions): FuzzReport {
  const random = new Random(`${options.seed} ${target.name}`);
  const corpus = [...target.seeds];
  const longest = Math.max(...corpus.map(({ length }) => length));
  const mutator = new Mutator(random, longest);
  const answers = new Set<string>();
  let accepted = 0;
  let slowest = 0;
  const start = performance.now();
  let before = start;
  for (const [index, seed] of target.seeds.entries()) {
    const answer = execute(target, seed, -index - 1);
    if (answer !== ACCEPTED) throw new Finding(target.name, -index - 1, seed, `seed: ${answer}`);
  }
  for (let execution = 1; execution <= options.executions; execution++) {
    const from = random.chance(50) ? target.seeds : corpus;
    const input = mutator.mutate(random.pick(from), random.pick(corpus));
    const answer = execute(target, input, execution);
    if (answer === ACCEPTED) accepted++;
    if (!answers.has(answer)) {
      answers.add(answer);
      if (corpus.length < target.seeds.length + KEPT_MAX) corpus.push(input.slice());
    }
    const now = performance.now();
    if (now - before > slowest) slowest = now - before;
    if (now - before > limitOf(target)) expectQuick(target, input, execution);
    before = now;
    if (execution % 4096 === 0) options.onProgress?.(execution);
  }
  return {
    target: target.name,
    executions: options.executions,
    accepted,
    answers: answers.size,
    milliseconds: performance.now() - start,
    slowestMilliseconds: slowest,
  };
}

function limitOf(target: Target): number {
  return target.millisecondsMax ?? EXECUTION_MS_MAX;
}

/** A slow execution is tried again: a hang stays one, a machine busy with other things does not. */
function expectQuick(target: Target, input: Uint8Array, execution: number): void {
  const times = [1, 2, 3].map(() => {
    const start = performance.now();
    execute(target, input, execution);
    return performance.now() - start;
  });
  const best = Math.min(...times);
  if (best <= limitOf(target)) return;
  throw new Finding(target.name, execution, input.slice(), `took ${best.toFixed(0)} ms`);
}

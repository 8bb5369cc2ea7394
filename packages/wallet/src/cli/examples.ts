/**
 * Examples of a command, for its help and for the reference.
 */
import type { Command } from 'commander';

const EXAMPLES = new WeakMap<Command, readonly string[]>();

/** Command lines without the name of the program. */
export function addExamples(command: Command, examples: readonly string[]): Command {
  EXAMPLES.set(command, examples);
  const lines = examples.map((example) => `  svc-wallet ${example}`);
  return command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'));
}

export function examplesOf(command: Command): readonly string[] {
  return EXAMPLES.get(command) ?? [];
}

/**
 * The command line: parses it, runs the command, and turns what went wrong into a message and an exit code.
 */
import { CommanderError } from 'commander';
import { complain, exitCodeOf } from './complain.ts';
import { EXIT } from './exit-codes.ts';
import { result } from './output.ts';
import { buildProgram, SHORT_HELP } from './program.ts';

/** `words` are those behind the name of the program. */
export async function main(words: readonly string[]): Promise<number> {
  if (words.includes('--no-color')) process.env['NO_COLOR'] = '1';
  if (words.length === 0) {
    result(SHORT_HELP);
    return EXIT.ok;
  }
  try {
    await buildProgram().parseAsync([...words], { from: 'user' });
    return Number(process.exitCode ?? EXIT.ok);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    complain(error);
    return exitCodeOf(error);
  }
}

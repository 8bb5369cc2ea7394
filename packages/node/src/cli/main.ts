/**
 * The command line: parses it, executes the command, and turns what went wrong into a message and an exit code.
 */
import { executeCommandLine } from 'svc-base/cli';
import { describeFailure } from './failures.ts';
import { buildProgram, SHORT_HELP } from './program.ts';

/** `words` are those behind the name of the program. */
export async function main(words: readonly string[]): Promise<number> {
  return await executeCommandLine(words, { shortHelp: SHORT_HELP, buildProgram, describeFailure });
}

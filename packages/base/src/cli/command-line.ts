/**
 * The scaffold of a program: the command at the root with the options that all programs share, and the execution of
 * a command line up to its exit code.
 */
import { Command, CommanderError } from 'commander';
import { messageOf } from '../pure/errors.ts';
import { systemTrouble } from '../pure/system-trouble.ts';
import { CliError } from './cli-error.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type Complaint, complain, result } from './output.ts';

export interface ProgramOptions {
  readonly name: string;
  readonly description: string;
  readonly release: string;
}

export interface CommandLineOptions {
  /** Printed when there are no words at all; a program that needs none is executed without. */
  readonly shortHelp?: string;
  readonly buildProgram: () => Command;
  /** What a person and a script learn of whatever a command threw. */
  readonly describeFailure: (error: unknown) => Complaint & { readonly exitCode: ExitCode };
}

export function createProgram({ name, description, release }: ProgramOptions): Command {
  return new Command(name)
    .description(description)
    .version(`${name} ${release}`, '--version', 'print the release')
    .helpOption('--help', 'print this')
    .helpCommand('help [command]', 'print help for a command')
    .option('--no-color', 'no colours, as NO_COLOR does')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .showHelpAfterError(`\`${name} --help\` lists commands and options`)
    .exitOverride();
}

/** Executes the command that `words` ask for, without the name of the program; the answer is the exit code. */
export async function executeCommandLine(
  words: readonly string[],
  { shortHelp, buildProgram, describeFailure }: CommandLineOptions,
): Promise<number> {
  if (words.includes('--no-color')) process.env['NO_COLOR'] = '1';
  if (words.length === 0 && shortHelp !== undefined) {
    result(shortHelp);
    return EXIT.ok;
  }
  try {
    await buildProgram().parseAsync([...words], { from: 'user' });
    return Number(process.exitCode ?? EXIT.ok);
  } catch (error) {
    // Commander has printed its own complaint; help and version end with code zero.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const trouble = error instanceof CliError ? undefined : systemTrouble(error);
    const failure =
      trouble === undefined ? describeFailure(error) : { message: trouble, exitCode: EXIT.refused };
    complain(failure);
    return failure.exitCode;
  }
}

/** The message for a failure that has none of its own. */
export function describeCliFailure(error: unknown): Complaint & { readonly exitCode: ExitCode } {
  if (!(error instanceof CliError)) return { message: messageOf(error), exitCode: EXIT.failed };
  const { message, hint, exitCode } = error;
  return { message, hint, exitCode };
}

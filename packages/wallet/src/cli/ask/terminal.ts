/**
 * Questions to the person at the terminal. They go to standard error, like everything that is no result;
 * where nobody can answer, nothing is asked.
 */
import { CliError, EXIT } from 'svc-base/cli';
import { type CommandOptions, usage } from '../values.ts';

interface Streams {
  readonly stdin: { readonly isTTY?: boolean };
  readonly stderr: { readonly isTTY?: boolean };
}

/** Whether questions may be asked: somebody is at the terminal, and `--no-input` was not given. */
export function mayAsk(options: CommandOptions, { stdin, stderr }: Streams = process): boolean {
  return options['input'] !== false && stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Whether a payment needs a yes. A script without a terminal needs none; with `--no-input` the option `--yes` is
 * required.
 */
export function needsYes(options: CommandOptions, streams: Streams = process): boolean {
  if (options['yes'] === true) return false;
  if (options['input'] === false) {
    throw usage('nobody may be asked whether to do this', 'give --yes, or leave out --no-input');
  }
  return mayAsk(options, streams);
}

export async function askYes(question: string): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  return !isCancel(answer) && answer;
}

/** Asks for a text that is not shown while it is typed. */
export async function askSecret(question: string): Promise<string> {
  const { isCancel, password } = await import('@clack/prompts');
  const answer = await password({ message: question, output: process.stderr });
  if (isCancel(answer)) throw new CliError(EXIT.failed, 'nothing was done');
  return answer ?? '';
}

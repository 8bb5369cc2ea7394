/**
 * Questions to the person at the terminal. They go to standard error, like everything that is no result;
 * where nobody can answer, nothing is asked.
 */
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';

export function hasPerson(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

export async function askYes(question: string): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  return !isCancel(answer) && answer;
}

/** What is typed is not shown. */
export async function askSecret(question: string): Promise<string> {
  const { isCancel, password } = await import('@clack/prompts');
  const answer = await password({ message: question, output: process.stderr });
  if (isCancel(answer)) throw new CliError(EXIT.failed, 'nothing was done');
  return answer ?? '';
}

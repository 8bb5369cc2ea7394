/**
 * Programs that a development network starts beside its node: how their first line is read, what they complain of, and
 * how they are ended. Must not know which programs these are.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const END_MILLIS_MAX = 5_000;
const ERROR_CHARACTERS_MAX = 2_000;

/** Keeps the end of what the process writes to standard error. */
export function collectComplaint(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-ERROR_CHARACTERS_MAX);
  });
  return () => text.trim();
}

/** The first line of standard output; whatever comes after is passed over. `name` is for the error if it ends before. */
export async function firstLineOf(child: ChildProcess, name: string): Promise<string> {
  const complaint = collectComplaint(child);
  const found = Promise.withResolvers<string>();
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    const [line, ...rest] = text.split('\n');
    if (rest.length > 0) found.resolve(line as string);
  });
  child.once('error', found.reject);
  child.once('exit', () => found.reject(new Error(`the ${name} ended: ${complaint()}`)));
  return await found.promise;
}

/** Asks the process to end, and ends it where it does not. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MILLIS_MAX);
  await ended;
  clearTimeout(timer);
}

/**
 * Runs commands one after the other in a process that has loaded them once. Each gets its own directory,
 * variables and standard input, and what it writes goes back to the test.
 */
import { Readable } from 'node:stream';
import { main } from '../../src/cli/main.ts';

export interface HostedCommand {
  readonly words: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: string;
}

export interface HostedEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run({ directory, environment, input, words }: HostedCommand): Promise<HostedEnd> {
  const written = { stdout: '', stderr: '' };
  process.chdir(directory);
  process.env = { ...environment };
  process.exitCode = undefined;
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text: string | Uint8Array) => {
      written[name] += String(text);
      return true;
    };
  }
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
  Object.defineProperty(process, 'stdin', { configurable: true, value: stdin });
  const code = await main(words);
  return { code, ...written };
}

process.on('message', (command: HostedCommand) => {
  void run(command).then((end) => process.send?.(end));
});
process.on('disconnect', () => process.exit(0));

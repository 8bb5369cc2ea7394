/**
 * The programs around mining as processes of their own, for the tests of bridge and pool: a development network without
 * a miner that makes cuts on request, and whatever is started beside it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type ProbedProgram, type ProgramName, programPath } from 'svc-base/testing';

/** What a development network prints when it is ready; the wallet's part only if it has one. */
export interface NetworkFacts {
  readonly chain_id: string;
  readonly api_url: string;
  readonly mining_url: string;
  readonly wallet_url: string;
  readonly wallet_token_file: string;
  readonly accounts: readonly { readonly address: string }[];
}

/** What this process has started and has not seen end. */
const running = new Set<Program>();
const PAUSE_MILLIS = 10;
/** For a program that runs and has stopped working: a campaign on a busy machine never waits so long. */
const WAIT_MILLIS_MAX = 1_800_000;

export class Program {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly #closed: Promise<unknown>;

  /** Runs in a directory that is also its home. */
  constructor(program: ProgramName, words: readonly string[], directory: string) {
    this.child = spawn(process.execPath, [programPath(program), ...words], {
      cwd: directory,
      env: { ...process.env, HOME: directory },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#closed = once(this.child, 'close');
    running.add(this);
    void this.#closed.then(() => running.delete(this));
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
  }

  get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  get probe(): ProbedProgram {
    return { pid: this.child.pid as number, stderr: () => this.stderr };
  }

  /** What it prints when it is ready. */
  async facts<T>(): Promise<T> {
    await untilOrOver([this], () => this.stdout.endsWith('}\n'), 'the program is ready');
    return JSON.parse(this.stdout) as T;
  }

  /** Waits until what it prints on standard error matches. */
  async says(pattern: RegExp): Promise<void> {
    await untilOrOver([this], () => pattern.test(this.stderr), String(pattern));
  }

  async ended(): Promise<number | null> {
    await this.#closed;
    return this.child.exitCode;
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    if (!this.isOver) this.child.kill(signal);
    return await this.ended();
  }
}

/** Waits until a condition holds, for as long as the programs run that it depends on. */
export async function untilOrOver(
  programs: readonly Program[],
  holds: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  const end = performance.now() + WAIT_MILLIS_MAX;
  for (;;) {
    // Looked at first: what a program printed last still counts when it is over.
    const over = programs.find(({ isOver }) => isOver);
    if (over !== undefined) await over.ended();
    if (await holds()) return;
    if (over !== undefined) throw new Error(`a program ended before: ${what}: ${over.stderr}`);
    if (performance.now() > end) throw new Error(`waited in vain for: ${what}`);
    await delay(PAUSE_MILLIS);
  }
}

/** Kills what still runs. To be called where a failure may have left programs behind. */
export async function killPrograms(): Promise<void> {
  await Promise.all([...running].map((program) => program.stop('SIGKILL')));
}

export function startNetwork(directory: string, more: readonly string[]): Program {
  const words = ['dev', '--port', '0', '--no-miner', '--json', '--cut-time', 'manual'];
  return new Program('svcd', [...words, '--state', 'state', ...more], directory);
}

export function portOf(address: string | undefined): number {
  return Number(address?.split(':').at(-1));
}

/** Makes cuts on the development network; answers when they are final. */
export async function makeCuts(apiUrl: string, cuts: number): Promise<number> {
  const answer = await fetch(`${apiUrl}/v1/dev/mine`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_version: 1, cuts }),
  });
  const document = (await answer.json()) as { finalized_height: number };
  if (answer.status !== 200) throw new Error(JSON.stringify(document));
  return document.finalized_height;
}

export async function readJson<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T;
}

/**
 * A development network without a miner and a bridge beside it, as processes of their own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface NetworkFacts {
  readonly chain_id: string;
  readonly api_url: string;
  readonly mining_url: string;
  readonly accounts: readonly { readonly address: string }[];
}

export interface BridgeFacts {
  readonly listen: readonly string[];
  readonly listen_tls: readonly string[];
  readonly listen_ws: readonly string[];
  readonly stats: string;
  readonly metrics: string;
}

const NODE = fileURLToPath(new URL('../../node/bin/svcd.js', import.meta.url));
const BRIDGE = fileURLToPath(new URL('../bin/svc-bridge.js', import.meta.url));
const MINER = fileURLToPath(new URL('../../miner/bin/svc-miner.js', import.meta.url));
const PROGRAMS = { svcd: NODE, 'svc-bridge': BRIDGE, 'svc-miner': MINER } as const;

export class Program {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly #closed: Promise<unknown>;

  constructor(program: keyof typeof PROGRAMS, words: readonly string[], directory: string) {
    this.child = spawn(process.execPath, [PROGRAMS[program], ...words], {
      cwd: directory,
      env: { ...process.env, HOME: directory },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#closed = once(this.child, 'close');
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
  }

  /** What it prints when it is ready. */
  async facts<T>(): Promise<T> {
    while (!this.stdout.endsWith('}\n')) {
      if (this.child.exitCode !== null) throw new Error(`it did not start: ${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return JSON.parse(this.stdout) as T;
  }

  /** Waits until what it prints on standard error matches. */
  async says(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.stderr)) {
      if (this.child.exitCode !== null) throw new Error(`it ended before: ${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    await this.#closed;
    return this.child.exitCode;
  }
}

export function startNetwork(directory: string): Program {
  const words = [
    'dev',
    '--port',
    '0',
    '--no-wallet',
    '--no-miner',
    '--json',
    '--cut-time',
    'manual',
  ];
  return new Program('svcd', [...words, '--state', 'state'], directory);
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

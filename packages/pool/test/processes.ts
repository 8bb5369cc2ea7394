/**
 * A development network with its wallet, a pool and miners, as processes of their own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from 'svc-base/testing';

export interface NetworkFacts {
  readonly chain_id: string;
  readonly api_url: string;
  readonly mining_url: string;
  readonly wallet_url: string;
  readonly wallet_token_file: string;
  readonly accounts: readonly { readonly address: string }[];
}

export interface PoolFacts {
  readonly pplns_listen: readonly string[];
  readonly pplns_listen_tls: readonly string[];
  readonly pplns_listen_ws: readonly string[];
  readonly solo_listen: readonly string[];
  readonly solo_listen_ws: readonly string[];
  readonly web: string;
}

const PROGRAMS = {
  svcd: '../../node/bin/svcd.js',
  'svc-pool': '../bin/svc-pool.js',
  'svc-miner': '../../miner/bin/svc-miner.js',
} as const;

export class Program {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly #closed: Promise<unknown>;

  constructor(program: keyof typeof PROGRAMS, words: readonly string[], directory: string) {
    const path = fileURLToPath(new URL(PROGRAMS[program], import.meta.url));
    this.child = spawn(process.execPath, [path, ...words], {
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

  get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** What it prints when it is ready. */
  async facts<T>(): Promise<T> {
    await until(() => this.stdout.endsWith('}\n') || this.isOver, 'the program is ready');
    if (!this.stdout.endsWith('}\n')) throw new Error(`it did not start: ${this.stderr}`);
    return JSON.parse(this.stdout) as T;
  }

  /** Waits until what it prints on standard error matches. */
  async says(pattern: RegExp): Promise<void> {
    await until(() => pattern.test(this.stderr) || this.isOver, String(pattern));
    if (!pattern.test(this.stderr)) throw new Error(`it ended before ${pattern}: ${this.stderr}`);
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

/** The network makes cuts when it is told, has no miner of its own, and a wallet of its accounts. */
export function startNetwork(directory: string): Program {
  const words = ['dev', '--port', '0', '--no-miner', '--json', '--cut-time', 'manual'];
  return new Program('svcd', [...words, '--validators', '1', '--state', 'state'], directory);
}

export interface PoolWordsOptions {
  readonly facts: NetworkFacts;
  /** Of the accounts of the network; what blocks pay. */
  readonly account?: number;
  readonly more?: readonly string[];
}

export function poolWords({ facts, account = 0, more = [] }: PoolWordsOptions): string[] {
  const any = '127.0.0.1:0';
  return [
    ...['--address', facts.accounts[account]?.address as string, '--node', facts.mining_url],
    ...['--api', facts.api_url, '--wallet', facts.wallet_url],
    ...['--wallet-token-file', facts.wallet_token_file, '--pplns-listen', any],
    ...['--web-listen', any, '--pow', 'light', '--difficulty', '4', '--json'],
    ...more,
  ];
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

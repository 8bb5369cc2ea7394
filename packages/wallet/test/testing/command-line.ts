/**
 * The command line in one directory against one network, with one wallet that is meant.
 */
import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandHost } from './command-host.ts';
import type { TestNetwork } from './network.ts';
import { type Ended, WalletProcess } from './svc-wallet.ts';

export type Answer = Record<string, unknown>;

const CUT_EVERY_MILLIS = 30;
const QUICK_CUTS = 4;
const CUT_PAUSE_MILLIS_MAX = 500;

export class CommandLine {
  readonly #net: TestNetwork;
  readonly #directory: string;
  readonly #wallet: string;
  readonly #host = new CommandHost();

  constructor(net: TestNetwork, directory: string, wallet = 'rich') {
    this.#net = net;
    this.#directory = directory;
    this.#wallet = wallet;
  }

  get #environment(): Record<string, string> {
    return {
      SVC_NETWORK: 'development',
      SVC_SERVICE: this.#net.url,
      SVC_WALLET_FILE: this.#wallet,
      SVC_GAP: '20',
    };
  }

  /** A process of its own, as people and scripts start one. */
  start(words: readonly string[], input?: string, environment = {}): WalletProcess {
    return new WalletProcess(words, {
      directory: this.#directory,
      environment: { ...this.#environment, ...environment },
      ...(input === undefined ? {} : { input }),
    });
  }

  /** In a process that runs one command after the other. */
  run(words: readonly string[], input = ''): Promise<Ended> {
    const { PATH } = process.env;
    const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
    const environment = { PATH, HOME: this.#directory, XDG_CACHE_HOME: cache };
    return this.#host.run({
      words,
      directory: this.#directory,
      environment: { ...environment, ...this.#environment },
      input,
    });
  }

  /** The document that a command prints. */
  async json(words: readonly string[], input?: string): Promise<Answer> {
    const { code, stdout, stderr } = await this.run([...words, '--json'], input);
    assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
    return JSON.parse(stdout) as Answer;
  }

  async refused(code: number, message: RegExp, words: readonly string[], input?: string) {
    const ended = await this.run(words, input);
    assert.deepEqual([ended.code, ended.stdout], [code, ''], `${words.join(' ')}: ${ended.stderr}`);
    assert.match(ended.stderr, message);
    assert.doesNotMatch(ended.stderr, /\n {4}at /, 'no stack');
  }

  /** Cuts are made while the command waits for them. */
  async whileCutting<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    for (let cuts = 0; !isDone; cuts++) {
      await this.#net.network.mine(1);
      // A wallet that proves what it reads must not fall behind while cuts are made for it.
      const pause = cuts < QUICK_CUTS ? CUT_EVERY_MILLIS : CUT_PAUSE_MILLIS_MAX;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    return await done;
  }

  async close(): Promise<void> {
    await this.#host.close();
  }
}

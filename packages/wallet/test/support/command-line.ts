/**
 * The command line in one directory against one network, with `rich` as the wallet that is meant.
 */
import assert from 'node:assert/strict';
import type { TestNetwork } from './network.ts';
import { type Ended, WalletProcess } from './svc-wallet.ts';

export type Answer = Record<string, unknown>;

const CUT_EVERY_MILLIS = 200;

export class CommandLine {
  readonly #net: TestNetwork;
  readonly #directory: string;

  constructor(net: TestNetwork, directory: string) {
    this.#net = net;
    this.#directory = directory;
  }

  start(words: readonly string[], input?: string): WalletProcess {
    return new WalletProcess(words, {
      directory: this.#directory,
      environment: {
        SVC_NETWORK: 'development',
        SVC_SERVICE: this.#net.url,
        SVC_WALLET_FILE: 'rich',
        SVC_GAP: '20',
      },
      ...(input === undefined ? {} : { input }),
    });
  }

  run(words: readonly string[], input?: string): Promise<Ended> {
    return this.start(words, input).end();
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
    while (!isDone) {
      await this.#net.network.mine(1);
      await new Promise((resolve) => setTimeout(resolve, CUT_EVERY_MILLIS));
    }
    return await done;
  }
}

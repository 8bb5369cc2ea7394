/**
 * A development network and its wallet daemon as processes of their own, and a wallet of many coins, for the
 * benchmark of `send`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../bin/svcd.js', import.meta.resolve('svc-node')));
const WORDS = ['dev', '--json', '--port', '0', '--cut-time', 'manual', '--validators', '1'];
const RECIPIENTS_MAX = 7;
const LOOK_MILLIS = 20;
const OUTPUTS_LIMIT = 1_000;

interface Facts {
  readonly api_url: string;
  readonly wallet_url: string;
  readonly wallet_token_file: string;
}

interface Outputs {
  readonly outputs: readonly { readonly reserved: boolean }[];
}

export class SendNetwork {
  static async start(): Promise<SendNetwork> {
    const child = spawn(process.execPath, [PROGRAM, ...WORDS], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (some: string) => {
      text += some;
    });
    while (!text.endsWith('}\n')) {
      if (child.exitCode !== null) throw new Error('the network did not start');
      await sleep(LOOK_MILLIS);
    }
    const network = new SendNetwork(child, JSON.parse(text) as Facts);
    while (!(await network.#isFollowing())) await sleep(LOOK_MILLIS);
    return network;
  }

  readonly #child: ChildProcess;
  readonly #facts: Facts;
  readonly #token: string;

  private constructor(child: ChildProcess, facts: Facts) {
    this.#child = child;
    this.#facts = facts;
    this.#token = readFileSync(facts.wallet_token_file, 'utf8').trim();
  }

  async call<Result>(method: string, params: object): Promise<Result> {
    const response = await fetch(`${this.#facts.wallet_url}/v1/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { error, result } = (await response.json()) as { error?: object; result: Result };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  /** Makes the wallet's coins many: each payment to itself turns one into seven. */
  async split(wanted: number): Promise<void> {
    const address = await this.address();
    for (let coins = await this.#settled(), round = 0; coins < wanted; round++) {
      const payments = Math.min(coins, Math.ceil((wanted - coins) / (RECIPIENTS_MAX - 1)));
      const amount = String(10 * 10 ** (3 - round));
      const recipients = Array.from({ length: RECIPIENTS_MAX }, () => ({ to: address, amount }));
      for (let payment = 0; payment < payments; payment++) {
        const request_id = `split-${round}-${payment}`;
        await this.call('send_many', { recipients, request_id });
      }
      coins = await this.#settled();
    }
  }

  async address(): Promise<string> {
    return (await this.call<{ address: string }>('new_address', {})).address;
  }

  async #isFollowing(): Promise<boolean> {
    const { scan } = await this.call<{ scan: { phase: string } }>('status', {});
    return scan.phase === 'following';
  }

  /** Makes cuts until no payment is under way; the number of coins then. */
  async #settled(): Promise<number> {
    for (;;) {
      await this.#mine(2);
      await sleep(LOOK_MILLIS);
      const { outputs } = await this.call<Outputs>('outputs', { limit: OUTPUTS_LIMIT });
      if (outputs.every(({ reserved }) => !reserved)) return outputs.length;
    }
  }

  async #mine(cuts: number): Promise<void> {
    const response = await fetch(`${this.#facts.api_url}/v1/dev/mine`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_version: 1, cuts }),
    });
    if (!response.ok) throw new Error(await response.text());
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGINT');
    await ended;
  }
}

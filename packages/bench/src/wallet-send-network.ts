/**
 * A development network and a wallet daemon, each a process of its own, and a wallet of many coins, for the benchmark of
 * `send`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess } from './companions.ts';

const NODE_PROGRAM = fileURLToPath(new URL('../bin/svcd.js', import.meta.resolve('svc-node')));
const NODE_WORDS = ['--json', '--port', '0', '--cut-time', 'manual', '--validators', '1'];
const WALLET_PROGRAM = fileURLToPath(
  new URL('../bin/svc-wallet.js', import.meta.resolve('svc-wallet')),
);
const DAEMON_WORDS = ['--port', '0', '--json', '--quiet', '--until-stdin-ends'];
const RECIPIENTS_MAX = 7;
/** Payments of one batch that split coins. */
const SPLITS_AT_ONCE = 16;
/** Calls of one method until it has a result. */
const TRIES_MAX = 5;
const LOOK_MILLIS = 20;
/** Coins of an output that the wallet pays with. */
const WORTH = 2;
const TICK_MILLIS = 10;

interface Facts {
  readonly api_url: string;
  readonly words: string;
}

interface Balance {
  readonly outputs: number;
  /** Coins that payments under way hold. */
  readonly reserved: string;
  readonly indexed_height: number;
}

/** Processor time of the two processes, in milliseconds. */
export interface ProcessorTime {
  readonly daemon: number;
  readonly node: number;
}

interface Parts {
  readonly node: ChildProcess;
  readonly daemon: ChildProcess;
  readonly directory: string;
  /** The wallet file. */
  readonly file: string;
}

interface RpcAnswer<Result> {
  readonly id: number;
  readonly result: Result;
  readonly error?: { readonly data?: { readonly retry?: string } };
}

export class SendNetwork {
  /** With further words for the daemon. */
  static async start(words: readonly string[] = []): Promise<SendNetwork> {
    const directory = mkdtempSync(join(tmpdir(), 'svc-send-bench-'));
    const node = spawn(process.execPath, [NODE_PROGRAM, 'dev', '--no-wallet', ...NODE_WORDS], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    endWithThisProcess(node);
    const facts = JSON.parse(await printed(node, '}\n')) as Facts;
    const file = join(directory, 'wallet');
    const phrase = join(directory, 'words');
    writeFileSync(phrase, facts.words, { mode: 0o600 });
    const making = ['init', '--words-file', phrase, '--generate-password', '--no-input'];
    const own = ['--file', file, '--network', 'development'];
    execFileSync(process.execPath, [WALLET_PROGRAM, ...making, ...own], { stdio: 'ignore' });
    const serving = [WALLET_PROGRAM, 'daemon', ...DAEMON_WORDS, ...words];
    const daemon = spawn(process.execPath, [...serving, '--service', facts.api_url, ...own], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    endWithThisProcess(daemon);
    const { url } = JSON.parse(await printed(daemon, '}\n')) as { url: string };
    const network = new SendNetwork({ node, daemon, directory, file }, facts.api_url, url);
    while (!(await network.#isFollowing())) await sleep(LOOK_MILLIS);
    return network;
  }

  readonly #parts: Parts;
  readonly #api: string;
  readonly #rpc: string;
  readonly #token: string;

  private constructor(parts: Parts, api: string, wallet: string) {
    this.#parts = parts;
    this.#api = api;
    this.#rpc = new URL('/v1/rpc', wallet).href;
    this.#token = readFileSync(`${parts.file}.token`, 'utf8').trim();
  }

  async call<Result>(method: string, params: object): Promise<Result> {
    const [result] = await this.callAll<Result>(method, [params]);
    return result as Result;
  }

  /**
   * Calls a method several times in one batch. Calls without a result are repeated: payments have a request id, so each
   * pays once. A payment that the node has not taken would count as paid, and is an error.
   */
  async callAll<Result>(method: string, calls: readonly object[]): Promise<readonly Result[]> {
    const results: Result[] = [];
    let open = calls.map((params, id) => ({ jsonrpc: '2.0', id, method, params }));
    for (let tries = 1; tries <= TRIES_MAX && open.length > 0; tries++) {
      const answers = await this.#post<Result>(open);
      for (const { error, id, result } of answers) {
        if (error?.data?.retry === 'same_request_id') continue;
        if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
        const isLeft = (result as { submitted?: boolean }).submitted === false;
        if (isLeft) throw new Error(`${method}: the node does not take payments this fast`);
        results[id] = result;
      }
      open = open.filter(({ id }) => !(id in results));
    }
    if (open.length > 0) throw new Error(`${method}: no result after ${TRIES_MAX} calls`);
    return results;
  }

  async #post<Result>(batch: readonly object[]): Promise<readonly RpcAnswer<Result>[]> {
    const response = await fetch(this.#rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` },
      body: JSON.stringify(batch),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as readonly RpcAnswer<Result>[];
  }

  /** Splits the wallet's coins: each payment to itself turns one into seven. */
  async split(wanted: number): Promise<void> {
    const address = await this.address();
    for (let coins = await this.settled(), round = 0; coins < wanted; round++) {
      const payments = Math.min(coins, Math.ceil((wanted - coins) / (RECIPIENTS_MAX - 1)));
      const amount = String(WORTH * 10 ** Math.max(0, 3 - round));
      const recipients = Array.from({ length: RECIPIENTS_MAX }, () => ({ to: address, amount }));
      const calls = Array.from({ length: payments }, (_, at) => {
        return { recipients, request_id: `split-${round}-${at}` };
      });
      while (calls.length > 0) await this.callAll('send_many', calls.splice(0, SPLITS_AT_ONCE));
      coins = await this.settled();
    }
  }

  async address(): Promise<string> {
    return (await this.call<{ address: string }>('new_address', {})).address;
  }

  processorTime(): ProcessorTime {
    const { daemon, node } = this.#parts;
    return { daemon: processorMillis(daemon), node: processorMillis(node) };
  }

  async #isFollowing(): Promise<boolean> {
    const { scan } = await this.call<{ scan: { phase: string } }>('status', {});
    return scan.phase === 'following';
  }

  /** Makes cuts until no payment is under way; the number of coins then. */
  async settled(): Promise<number> {
    for (;;) {
      const height = await this.#mine(2);
      let balance = await this.call<Balance>('balance', {});
      while (balance.indexed_height < height) {
        await sleep(LOOK_MILLIS);
        balance = await this.call<Balance>('balance', {});
      }
      if (Number(balance.reserved) === 0) return balance.outputs;
    }
  }

  /** Makes cuts; the height of the last. */
  async #mine(cuts: number): Promise<number> {
    const response = await fetch(`${this.#api}/v1/dev/mine`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_version: 1, cuts }),
    });
    if (!response.ok) throw new Error(await response.text());
    const sync = (await (await fetch(`${this.#api}/v1/node/sync`)).json()) as {
      finalized_height: number;
    };
    return sync.finalized_height;
  }

  async close(): Promise<void> {
    const { daemon, directory, node } = this.#parts;
    const ended = [once(daemon, 'exit'), once(node, 'exit')];
    daemon.stdin?.end();
    node.kill('SIGINT');
    await Promise.all(ended);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What a process prints, once it ends like this. */
async function printed(child: ChildProcess, end: string): Promise<string> {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (some: string) => {
    text += some;
  });
  while (!text.endsWith(end)) {
    if (child.exitCode !== null) throw new Error('a process of the network did not start');
    await sleep(LOOK_MILLIS);
  }
  return text;
}

/** Processor time of all threads of a process, as Linux counts it: in ticks of ten milliseconds. */
function processorMillis({ pid }: ChildProcess): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = text.slice(text.lastIndexOf(')')).split(' ').slice(12, 14);
  return TICK_MILLIS * (Number(user) + Number(system));
}

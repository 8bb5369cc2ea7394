/**
 * A process of Litecoin Core on a network of its own (`-regtest`), reached over the loopback alone. It checks every signature,
 * as a node of ours does.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waited } from './wait.ts';

const PROGRAM = 'litecoind';
const START_MILLIS_MAX = 60_000;

export interface LitecoinOptions {
  readonly directory: string;
  /** For peers; the next one is for calls. */
  readonly port: number;
  readonly cacheMegabytes: number;
  /** Threads that check signatures, the one that executes included. */
  readonly checkers: number;
}

export class LitecoinNode {
  static async start(options: LitecoinOptions): Promise<LitecoinNode> {
    mkdirSync(options.directory, { recursive: true });
    const words = [
      ...['-regtest', `-datadir=${options.directory}`, '-printtoconsole=0'],
      ...[`-port=${options.port}`, `-rpcport=${options.port + 1}`, '-bind=127.0.0.1'],
      ...['-dnsseed=0', '-upnp=0', '-listenonion=0', '-disablewallet', '-assumevalid=0'],
      ...[`-dbcache=${options.cacheMegabytes}`, `-par=${options.checkers}`],
    ];
    const child = spawn(PROGRAM, words, { stdio: 'ignore' });
    await once(child, 'spawn');
    const node = new LitecoinNode(child, options);
    const isReady = (): Promise<true | undefined> =>
      node.call('getblockcount').then(
        () => true,
        () => undefined,
      );
    await waited(isReady, `${PROGRAM} to answer`, START_MILLIS_MAX);
    return node;
  }

  readonly #child: ChildProcess;
  readonly #options: LitecoinOptions;

  private constructor(child: ChildProcess, options: LitecoinOptions) {
    this.#child = child;
    this.#options = options;
  }

  get processId(): number | undefined {
    return this.#child.pid;
  }

  async call<Result>(method: string, ...params: readonly unknown[]): Promise<Result> {
    const { directory, port } = this.#options;
    const secret = readFileSync(join(directory, 'regtest', '.cookie')).toString('base64');
    const answer = await fetch(`http://127.0.0.1:${port + 1}/`, {
      method: 'POST',
      headers: { authorization: `Basic ${secret}` },
      body: JSON.stringify({ id: 1, method, params }),
    });
    const { error, result } = (await answer.json()) as { error: unknown; result: Result };
    if (error !== null) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/**
 * Mining on a development network as it is done elsewhere: a bridge and a miner of one thread, as processes of their
 * own beside the node. The node knows the programs by their places alone and mines itself where they are not
 * installed. Both end with the process that started them, whatever ends it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from 'svc-base/pure';
import { type Bind, formatBind } from '../config/bind.ts';
import { collectComplaint, endChild, firstLineOf } from './child-program.ts';

export interface DevMiningOptions {
  /** Where the miner keeps its dataset. */
  readonly directory: string;
  /** For miners, and for pages over WebSocket; 0 for free ports. */
  readonly ports: { readonly bridge: number; readonly webSocket: number };
  readonly payout: string;
}

export interface DevMiningFacts {
  readonly bridge: Bind;
  readonly webSocket: Bind;
}

/** Where the node listens. */
export interface DevNodePlaces {
  readonly http: Bind;
  readonly mining: Bind;
}

const programOf = (name: string): string =>
  fileURLToPath(new URL(`../../../${name}/bin/svc-${name}.js`, import.meta.url));
const BRIDGE = programOf('bridge');
const MINER = programOf('miner');
const HOST = '127.0.0.1';
const MINER_TAG = 'dev miner';
/** Of the first shares; a network of the least difficulty asks for less anyway. */
const DIFFICULTY = '1000';
/** The environment by which starters of the programs say that they follow the channel to whoever started them. */
const FOLLOWING = { SVC_STARTED_BY_STARTER: '1' };

export class DevMining {
  readonly #options: DevMiningOptions;
  readonly #log: Log;
  readonly #children = new Set<ChildProcess>();
  #node: DevNodePlaces | undefined;
  #facts: DevMiningFacts | undefined;

  static get isInstalled(): boolean {
    return existsSync(BRIDGE) && existsSync(MINER);
  }

  constructor(options: DevMiningOptions, log: Log) {
    this.#options = options;
    this.#log = log;
  }

  get facts(): DevMiningFacts | null {
    return this.#facts ?? null;
  }

  /** Resolves when the bridge listens; the miner follows. */
  async serve(node: DevNodePlaces): Promise<void> {
    this.#node = node;
    const { bridge, webSocket } = this.#facts ?? {
      bridge: { host: HOST, port: this.#options.ports.bridge },
      webSocket: { host: HOST, port: this.#options.ports.webSocket },
    };
    const origins = [HOST, 'localhost'].map((host) => `http://${host}:${node.http.port}`);
    const child = this.#spawn(BRIDGE, [
      ...['--node', `http://${formatBind(node.mining)}`],
      ...['--listen', formatBind(bridge), '--listen-ws', formatBind(webSocket)],
      ...origins.flatMap((origin) => ['--ws-origin', origin]),
      ...['--stats', 'off', '--metrics', 'off', '--pow', 'light', '--log', 'error'],
      ...['--difficulty', DIFFICULTY],
    ]);
    const { listen, listen_ws } = JSON.parse(await firstLineOf(child, 'bridge')) as Record<
      string,
      string[]
    >;
    this.#facts = { bridge: bindOf(listen?.[0]), webSocket: bindOf(listen_ws?.[0]) };
    this.#startMiner(this.#facts);
  }

  /** Starts both again, because the chain went back and their work is of a future that is gone. */
  async forget(): Promise<void> {
    await this.close();
    await this.serve(this.#node as DevNodePlaces);
  }

  async close(): Promise<void> {
    const children = [...this.#children];
    this.#children.clear();
    await Promise.all(children.map(endChild));
  }

  #startMiner({ bridge }: DevMiningFacts): void {
    const { directory, payout } = this.#options;
    const miner = this.#spawn(MINER, [
      ...['--url', `svc+tcp://${formatBind(bridge)}#v2`, '--user', `${payout}.dev`],
      ...['--tag', MINER_TAG, '--device', 'cpu', '--threads', '1'],
      ...['--dataset-dir', join(directory, 'dataset'), '--no-stats', '--no-metrics'],
    ]);
    miner.stdout?.resume();
  }

  #spawn(program: string, words: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, [program, ...words], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, ...FOLLOWING },
    });
    this.#children.add(child);
    const complaint = collectComplaint(child);
    child.once('exit', (code, signal) => {
      if (!this.#children.delete(child)) return;
      const fields = { program, code, signal, said: complaint() };
      this.#log.warn(fields, 'a program beside the node has ended: blocks may be missing');
    });
    return child;
  }
}

function bindOf(text: string | undefined): Bind {
  const port = Number(text?.split(':').at(-1));
  if (text === undefined || !Number.isInteger(port))
    throw new Error('the bridge did not say where it listens');
  return { host: HOST, port };
}

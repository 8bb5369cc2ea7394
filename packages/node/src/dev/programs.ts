/**
 * Programs beside the node of a development network, where they are installed: the wallet daemon, and a bridge with a miner.
 * The node knows them by their paths alone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from 'svc-base/pure';
import { DEVELOPMENT_MNEMONIC } from 'svc-ledger';
import { type Bind, formatBind } from '../config/bind.ts';

const END_MILLIS_MAX = 5_000;
const ERROR_CHARACTERS_MAX = 2_000;

/** Keeps the end of what the process writes to standard error. */
function collectComplaint(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-ERROR_CHARACTERS_MAX);
  });
  return () => text.trim();
}

/** The first line of standard output; whatever comes after is passed over. `name` is for the error if it ends before. */
async function firstLineOf(child: ChildProcess, name: string): Promise<string> {
  const complaint = collectComplaint(child);
  const found = Promise.withResolvers<string>();
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    const [line, ...rest] = text.split('\n');
    if (rest.length > 0) found.resolve(line as string);
  });
  child.once('error', found.reject);
  child.once('exit', () => found.reject(new Error(`the ${name} ended: ${complaint()}`)));
  return await found.promise;
}

/** Asks the process to end, and ends it where it does not. */
async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MILLIS_MAX);
  await ended;
  clearTimeout(timer);
}

interface DevMiningOptions {
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
interface DevNodePlaces {
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
/** The environment by which starters of the programs say that they follow the channel to their parent process. */
const FOLLOWING = { SVC_STARTED_BY_STARTER: '1' };

/**
 * Mining on a development network as it is done elsewhere: a bridge and a miner of one thread, as processes of their
 * own beside the node. The node knows the programs by their places alone and mines itself where they are not
 * installed. Both end with the process that started them, whatever ends it.
 */
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

const PROGRAM = fileURLToPath(new URL('../../../wallet/bin/svc-wallet.js', import.meta.url));
/** Far fewer addresses are looked at than elsewhere, so that a network is ready soon. */
const DAEMON_OPTIONS = ['--gap', '50', '--until-stdin-ends', '--json', '--quiet'];
/** What the daemon keeps of chain and payments, by the ends of the file names; words, password and tokens stay. */
const STATE_ENDS = ['.state', '.state-wal', '.state.sum', '.journal', '.audit'] as const;
/** What SQLite and the daemon make anew for a state. */
const PASSING_ENDS = ['.state-shm', '.state.holder'] as const;

/**
 * The wallet daemon of a development network: a process of its own with a wallet of the public words. The node
 * knows the program by its place alone and does without where it is not installed.
 */
export class DevWallet {
  readonly #file: string;
  readonly #snapshots: string;
  #service = '';
  #port = 0;
  #child: ChildProcess | undefined;
  #tokenFile = '';

  /** Makes the wallet file, which needs no node. Null where the program is not installed. */
  static async prepare(directory: string): Promise<DevWallet | null> {
    if (!existsSync(PROGRAM)) return null;
    const wallet = new DevWallet(join(directory, 'wallet'));
    await wallet.#restore();
    return wallet;
  }

  private constructor(file: string) {
    this.#file = file;
    this.#snapshots = join(dirname(file), 'wallet-snapshots');
  }

  get facts(): { bind: Bind; tokenFile: string } {
    return { bind: { host: '127.0.0.1', port: this.#port }, tokenFile: this.#tokenFile };
  }

  /** Starts the daemon: `service` is the API of the node; the port is a free one for 0. */
  async serve(service: string, port: number): Promise<void> {
    this.#service = service;
    this.#port = port;
    await this.#serve();
  }

  /** Starts the daemon again after `close`, on the port that it had. */
  async resume(): Promise<void> {
    await this.#serve();
  }

  /** Copies the state of the daemon, which must be closed, for a snapshot of that name. */
  save(name: string): void {
    const folder = join(this.#snapshots, name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const end of STATE_ENDS)
      if (existsSync(this.#file + end)) copyFileSync(this.#file + end, join(folder, end.slice(1)));
  }

  /** Brings the state of a snapshot back; the daemon must be closed. Without a copy it reads the chain anew. */
  restore(name: string): void {
    for (const end of [...STATE_ENDS, ...PASSING_ENDS]) rmSync(this.#file + end, { force: true });
    for (const end of STATE_ENDS) {
      const copy = join(this.#snapshots, name, end.slice(1));
      if (existsSync(copy)) copyFileSync(copy, this.#file + end);
    }
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child !== undefined) await endChild(child);
  }

  async #restore(): Promise<void> {
    if (existsSync(this.#file)) return;
    const words = ['init', '--network', 'development', '--generate-password', '--words-file', '-'];
    const child = this.#spawn(words);
    child.stdin?.end(DEVELOPMENT_MNEMONIC);
    const complaint = collectComplaint(child);
    await once(child, 'exit');
    if (child.exitCode !== 0) throw new Error(`the wallet was not made: ${complaint()}`);
  }

  async #serve(): Promise<void> {
    const place = ['--service', this.#service, '--port', String(this.#port)];
    const child = this.#spawn(['daemon', ...place, ...DAEMON_OPTIONS]);
    this.#child = child;
    const { url, token_file } = JSON.parse(await firstLineOf(child, 'wallet')) as Record<
      string,
      string
    >;
    this.#port = Number(new URL(url as string).port);
    this.#tokenFile = token_file as string;
  }

  #spawn([command, ...words]: string[]): ChildProcess {
    return spawn(process.execPath, [PROGRAM, command as string, '--file', this.#file, ...words], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }
}

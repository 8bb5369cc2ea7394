/**
 * The daemon of one of several wallets, as a process of its own: started, started again when it ends by mistake, and
 * asked to stop. A wallet that is refused, or that somebody has stopped, stays stopped until it is asked for again; the
 * others do not notice. Its log goes into the common one with the name of the wallet.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { EXIT } from 'svc-base/cli';
import { type Clock, type Log, sleep } from 'svc-base/pure';
import type { Door, ServedWallet } from './front.ts';
import { tagLine } from './tag-line.ts';

/** Starting again mends none of these: it was stopped, its options are wrong, or the wallet is refused. */
const LASTING: readonly (number | null)[] = [EXIT.ok, EXIT.usage, EXIT.refused];
const WAIT_MILLIS = 1_000;
const WAIT_MILLIS_MAX = 60_000;
/** Files of one wallet that a variable names would be those of every wallet. */
const VARIABLES_OF_ONE = ['SVC_WALLET_FILE', 'SVC_JOURNAL_COPY', 'SVC_AUDIT_FILE'];

export interface WalletProcessOptions {
  readonly name: string;
  /** The words behind `daemon` that are this wallet's. */
  readonly words: readonly string[];
  /** Where the daemon listens for the front, in a folder that nobody else may enter. */
  readonly socketPath: string;
}

export interface WalletProcessPorts {
  readonly log: Log;
  readonly clock: Clock;
  /** Takes a line of the daemon's log. */
  writeLine(line: string): void;
}

/** What a daemon tells once somebody has told it to stop, before it closes anything. */
export const STOPPING = JSON.stringify({ stopping: true });

/** What a daemon tells of itself once it listens. */
interface Facts {
  readonly url: string;
  readonly token_file: string;
  readonly pid: number;
}

export class WalletProcess implements ServedWallet {
  readonly name: string;
  readonly #words: readonly string[];
  readonly #socketPath: string;
  readonly #ports: WalletProcessPorts;
  readonly #closing = new AbortController();
  #child: ChildProcess | undefined;
  #facts: Facts | undefined;
  /** Whether the daemon has said that somebody told it to stop. */
  #isStopping = false;
  #ended: Promise<void> = Promise.resolve();
  #isRunning = false;

  constructor({ name, socketPath, words }: WalletProcessOptions, ports: WalletProcessPorts) {
    this.name = name;
    this.#words = words;
    this.#socketPath = socketPath;
    this.#ports = ports;
  }

  get door(): Door | null {
    if (this.#facts === undefined) return null;
    return { socketPath: this.#socketPath, host: new URL(this.#facts.url).host };
  }

  get facts(): Facts | undefined {
    return this.#facts;
  }

  /** Resolves with undefined once the daemon listens, or with the exit code if it ends first. Does nothing if it runs. */
  start(): Promise<number | null | undefined> {
    if (this.#isRunning) return Promise.resolve(undefined);
    this.#isRunning = true;
    return new Promise((settle) => {
      this.#ended = this.#keep(settle).finally(() => {
        this.#isRunning = false;
      });
    });
  }

  /** The daemon ends in order when its standard input does. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#child?.stdin?.end();
    await this.#ended;
  }

  /** Starts the daemon again for as long as that may help. */
  async #keep(settle: (code: number | null | undefined) => void): Promise<void> {
    const { clock, log } = this.#ports;
    const { signal } = this.#closing;
    let waitMillis = WAIT_MILLIS;
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      const code = await this.#run(() => settle(undefined));
      settle(code);
      if (signal.aborted) return;
      const fields = { wallet: this.name, code };
      if (LASTING.includes(code) || this.#isStopping) {
        log.error(fields, 'the wallet has stopped and stays so until SIGHUP; the others go on');
        return;
      }
      if (clock.monotonic() - startedAt > WAIT_MILLIS_MAX) waitMillis = WAIT_MILLIS;
      log.error({ ...fields, wait_millis: waitMillis }, 'the wallet has ended and starts again');
      await sleep(clock, waitMillis, signal);
      waitMillis = Math.min(2 * waitMillis, WAIT_MILLIS_MAX);
    }
  }

  /** One life of the daemon: resolves with its exit code, null if a signal ended it. */
  #run(onReady: () => void): Promise<number | null> {
    const { log, writeLine } = this.#ports;
    const env = { ...process.env };
    for (const name of VARIABLES_OF_ONE) delete env[name];
    const words = ['daemon', '--host', '127.0.0.1', '--port', '0', '--json', '--no-input'];
    // One that was killed leaves its socket behind.
    rmSync(this.#socketPath, { force: true });
    words.push('--front-socket', this.#socketPath);
    // The program as it was started: in a package it lies elsewhere than among the sources.
    const [, program = ''] = process.argv;
    const child = spawn(
      process.execPath,
      [program, ...words, '--until-stdin-ends', ...this.#words],
      { env, stdio: ['pipe', 'pipe', 'pipe'] },
    );
    this.#child = child;
    child.stdin.on('error', () => {});
    this.#isStopping = false;
    const lines = createInterface({ input: child.stdout }).once('line', (line) => {
      this.#facts = JSON.parse(line) as Facts;
      log.info({ wallet: this.name, pid: this.#facts.pid }, 'the wallet is served');
      onReady();
    });
    lines.on('line', (line) => {
      if (line !== STOPPING) return;
      this.#isStopping = true;
      this.#facts = undefined;
    });
    createInterface({ input: child.stderr }).on('line', (line) =>
      writeLine(tagLine(this.name, line)),
    );
    return new Promise((resolve) => {
      const end = (code: number | null): void => {
        this.#facts = undefined;
        resolve(code);
      };
      child.once('error', () => end(EXIT.failed)).once('close', end);
    });
  }
}

/**
 * The wallet daemon of a development network: a process of its own with a wallet of the public words. The node
 * knows the program by its place alone and does without where it is not installed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEVELOPMENT_MNEMONIC } from 'svc-ledger';
import type { Bind } from '../config/bind.ts';
import { collectComplaint, endChild, firstLineOf } from './child-program.ts';

const PROGRAM = fileURLToPath(new URL('../../../wallet/bin/svc-wallet.js', import.meta.url));
/** Far fewer addresses are looked at than elsewhere, so that a network is ready soon. */
const FOLLOWING = ['--gap', '50', '--until-stdin-ends', '--json', '--quiet'];
/** What the daemon keeps of chain and payments, by the ends of the file names; words, password and tokens stay. */
const STATE_ENDS = ['.state', '.state-wal', '.state.sum', '.journal', '.audit'] as const;
/** What SQLite and the daemon make anew for a state. */
const PASSING_ENDS = ['.state-shm', '.state.holder'] as const;

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
    const child = this.#spawn(['daemon', ...place, ...FOLLOWING]);
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

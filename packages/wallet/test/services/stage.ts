/**
 * What a service stands on, and the service itself: a node, a wallet daemon, and in each language a program that credits
 * deposits and one that pays withdrawals, with a database each. All are processes that are killed and started again.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { createWalletClient, type WalletClient } from 'svc-client';
import { initWallet } from '../../src/file/open-wallet-file.ts';
import { ensureToken, tokenPath } from '../../src/file/token.ts';
import { Child } from '../testing/child.ts';
import { CHEAP } from '../testing/daemon.ts';
import {
  type Language,
  languagesHere,
  writeProgram,
  writePythonProgram,
} from '../testing/document-program.ts';
import { daemonProgram, nodeProgram, ServerProcess } from '../testing/server-process.ts';
import { type Broken, breaking } from './breaking.ts';

const PAGES = ['deposits', 'withdrawals'] as const;
/** The processes that run the programs of the pages; each has a twin in Python. */
const RUNNERS = { deposits: './credit.ts', withdrawals: './pay.ts' } as const;
/** How long a look at a service's database waits for the service. */
const LOCKED_MILLIS_MAX = 5_000;

export type Victim = 'node' | 'daemon' | `${Broken} ${Language}`;

export interface Order {
  readonly id: string;
  readonly to: string;
  readonly amount: string;
}

type Rows = readonly Readonly<Record<string, unknown>>[];

export class Stage {
  readonly client: WalletClient;
  readonly node: ServerProcess;
  readonly daemon: ServerProcess;
  readonly victims: readonly Victim[];
  readonly kills: Partial<Record<Victim, number>> = {};
  readonly #directory: string;
  readonly #token: string;
  readonly #services = new Map<Victim, Service>();

  static async open(
    directory: string,
    cutTime: string,
    broken: Broken | undefined,
  ): Promise<Stage> {
    const file = join(directory, 'shop');
    const wallet = { path: file, network: 'development', password: null } as const;
    await initWallet({ ...wallet, nowMillis: Date.now(), cost: CHEAP });
    const token = ensureToken(tokenPath(file));
    const node = await ServerProcess.start(nodeProgram(directory, cutTime));
    try {
      const daemon = await ServerProcess.start(daemonProgram(file, node.url));
      return new Stage(directory, token, [node, daemon], broken);
    } catch (error) {
      await node.close();
      throw error;
    }
  }

  private constructor(
    directory: string,
    token: string,
    [node, daemon]: [ServerProcess, ServerProcess],
    broken: Broken | undefined,
  ) {
    this.#directory = directory;
    this.#token = token;
    this.node = node;
    this.daemon = daemon;
    this.client = createWalletClient({ url: daemon.url, token });
    for (const language of languagesHere()) {
      this.order(language, []);
      for (const page of PAGES)
        this.#services.set(`${page} ${language}`, this.#serviceOf(page, language, broken));
    }
    this.victims = ['node', 'daemon', ...this.#services.keys()];
  }

  #serviceOf(page: Broken, language: Language, broken: Broken | undefined): Service {
    const { [page]: runner } = RUNNERS;
    const isPython = language === 'python';
    const write = isPython ? writePythonProgram : writeProgram;
    const module = write(`${page}.md`, this.#directory, breaking(broken, page, language));
    const run = fileURLToPath(
      new URL(isPython ? runner.replace('.ts', '.py') : runner, import.meta.url),
    );
    const more = page === 'withdrawals' ? [this.#ordersOf(language)] : [];
    const database = this.#databaseOf(page, language);
    const words = [run, module, this.daemon.url, this.#token, database, ...more];
    return new Service(words, isPython ? 'python3' : process.execPath);
  }

  #databaseOf(page: Broken, language: Language): string {
    return join(this.#directory, `${page}-${language}.db`);
  }

  #ordersOf(language: Language): string {
    return join(this.#directory, `orders-${language}.json`);
  }

  /** Gives a service all orders that it has; it finds them when it begins again. */
  order(language: Language, orders: readonly Order[]): void {
    const file = this.#ordersOf(language);
    writeFileSync(`${file}.new`, JSON.stringify(orders));
    renameSync(`${file}.new`, file);
  }

  async startServices(): Promise<void> {
    for (const service of this.#services.values()) {
      service.start();
      await service.listening();
    }
  }

  /** Fails if a service has ended that nobody has killed. */
  expectServices(): void {
    for (const [victim, service] of this.#services)
      if (service.isOver) throw new Error(`${victim} ended by itself`);
  }

  async kill(victim: Victim): Promise<void> {
    this.kills[victim] = (this.kills[victim] ?? 0) + 1;
    await this.#processOf(victim).kill();
  }

  start(victim: Victim): void {
    this.#processOf(victim).start();
  }

  listening(victim: Victim): Promise<void> {
    return this.#processOf(victim).listening();
  }

  #processOf(victim: Victim): Service | ServerProcess {
    if (victim === 'node' || victim === 'daemon') return this[victim];
    return this.#services.get(victim) as Service;
  }

  /** How many orders a service was given when it last had gone through all of them in this life. */
  through(language: Language): number {
    const service = this.#services.get(`withdrawals ${language}`) as Service;
    return Number(/through ([0-9]+)\n$/.exec(service.text)?.[1] ?? 0);
  }

  /** The book of a service. One that pays writes without a log beside, and must not run meanwhile: a reader would be in its way. */
  book(page: Broken, language: Language): Rows {
    const file = this.#databaseOf(page, language);
    const database = new DatabaseSync(file, { timeout: LOCKED_MILLIS_MAX });
    try {
      return database.prepare(`SELECT * FROM ${page}`).all();
    } finally {
      database.close();
    }
  }

  async endServices(): Promise<void> {
    await Promise.all([...this.#services.values()].map((service) => service.kill()));
  }

  async close(): Promise<void> {
    await this.endServices();
    await this.daemon.close();
    await this.node.close();
  }
}

class Service {
  readonly #words: readonly string[];
  readonly #program: string;
  #child: Child | null = null;

  constructor(words: readonly string[], program: string) {
    this.#words = words;
    this.#program = program;
  }

  get text(): string {
    return this.#child?.text ?? '';
  }

  get isOver(): boolean {
    return this.#child?.isOver ?? true;
  }

  start(): void {
    this.#child = new Child(this.#words, { program: this.#program });
  }

  async listening(): Promise<void> {
    if ((await this.#child?.printed('\n')) === undefined)
      throw new Error(`did not start: ${this.#words.join(' ')}`);
  }

  async kill(): Promise<void> {
    await this.#child?.kill();
  }
}

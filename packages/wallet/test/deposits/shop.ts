/**
 * Who takes deposits: a wallet daemon, and two services that credit what the daemon tells, one in TypeScript and one in
 * Python where it is installed, with a database each. All are real processes that are killed and started again while sockets between them are cut.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { programPath } from 'svc-base/testing';
import { createWalletClient, type WalletClient } from 'svc-client';
import { initWallet } from '../../src/file/init-wallet.ts';
import { ensureToken, tokenPath } from '../../src/file/token.ts';
import { CutProxy } from '../testing/cut-proxy.ts';
import { CHEAP } from '../testing/daemon.ts';
import {
  type Language,
  languagesHere,
  writeProgram,
  writePythonProgram,
} from '../testing/document-program.ts';
import { Child } from './child.ts';

const SERVICE = fileURLToPath(new URL('./service.ts', import.meta.url));
const PYTHON_SERVICE = fileURLToPath(new URL('./service.py', import.meta.url));
/** How long a look at a service's database waits for the service. */
const LOCKED_MILLIS_MAX = 5_000;

export interface Credit {
  readonly address: string;
  readonly amount: string;
}

export interface ShopFigures {
  daemonKills: number;
  /** Of these, kills before the daemon had said that it listens. */
  killsDuringStart: number;
  serviceKills: number;
  connectionsCut: number;
}

export class Shop {
  readonly figures: ShopFigures = {
    daemonKills: 0,
    killsDuringStart: 0,
    serviceKills: 0,
    connectionsCut: 0,
  };
  readonly client: WalletClient;
  readonly languages = languagesHere();
  readonly #directory: string;
  readonly #node: string;
  readonly #proxy: CutProxy;
  readonly #token: string;
  readonly #programs: Readonly<Record<Language, string>>;
  #daemon: Child | null = null;
  #listening: Promise<void> = Promise.resolve();
  #isListening = false;
  #services: readonly Child[] = [];

  static async open(directory: string, node: string): Promise<Shop> {
    const wallet = {
      path: join(directory, 'shop'),
      network: 'development',
      password: null,
    } as const;
    await initWallet({ ...wallet, nowMillis: Date.now(), cost: CHEAP });
    const shop = new Shop(directory, node, await CutProxy.start());
    shop.startDaemon();
    await shop.listening();
    return shop;
  }

  private constructor(directory: string, node: string, proxy: CutProxy) {
    this.#directory = directory;
    this.#node = node;
    this.#proxy = proxy;
    this.#token = ensureToken(tokenPath(join(directory, 'shop')));
    this.#programs = {
      typescript: writeProgram('deposits.md', directory),
      python: writePythonProgram('deposits.md', directory),
    };
    this.client = createWalletClient({ url: proxy.url, token: this.#token });
  }

  #databaseOf(language: Language): string {
    return join(this.#directory, `ledger-${language}.db`);
  }

  startDaemon(): void {
    const place = ['--file', join(this.#directory, 'shop'), '--service', this.#node];
    const access = ['--port', '0', '--host-name', '127.0.0.1', '--until-stdin-ends'];
    const daemon = new Child([
      programPath('svc-wallet'),
      'daemon',
      ...place,
      ...access,
      '--gap',
      '20',
      '--json',
      '--quiet',
    ]);
    this.#daemon = daemon;
    this.#isListening = false;
    this.#listening = daemon.line().then((line) => {
      if (line === undefined || daemon !== this.#daemon) return;
      this.#proxy.leadTo((JSON.parse(line) as { url: string }).url);
      this.#isListening = true;
    });
  }

  async listening(): Promise<void> {
    await this.#listening;
    if (!this.#isListening) throw new Error('the daemon ended by itself');
  }

  async killDaemon(): Promise<void> {
    this.figures.daemonKills++;
    if (!this.#isListening) this.figures.killsDuringStart++;
    await this.#daemon?.kill();
    this.#proxy.leadTo(null);
  }

  async startServices(): Promise<void> {
    const words = (language: Language): string[] => [
      ...[this.#programs[language], this.#proxy.url, this.#token],
      this.#databaseOf(language),
    ];
    this.#services = this.languages.map((language) =>
      language === 'python'
        ? new Child([PYTHON_SERVICE, ...words(language)], 'python3')
        : new Child([SERVICE, ...words(language)]),
    );
    for (const [at, service] of this.#services.entries())
      if ((await service.line()) === undefined)
        throw new Error(`the service in ${this.languages[at]} did not start`);
  }

  async killServices(): Promise<void> {
    this.figures.serviceKills += this.#services.length;
    await Promise.all(this.#services.map((service) => service.kill()));
  }

  get connections(): number {
    return this.#proxy.connections;
  }

  cutSockets(): void {
    this.figures.connectionsCut += this.#proxy.cut();
  }

  /** What a service has credited so far, as its own database says. */
  credits(language: Language): Credit[] {
    const database = new DatabaseSync(this.#databaseOf(language), { timeout: LOCKED_MILLIS_MAX });
    try {
      const rows = database.prepare('SELECT address, amount FROM deposits').all();
      return rows.map(({ address, amount }) => ({
        address: String(address),
        amount: String(amount),
      }));
    } finally {
      database.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.kill()));
    await this.#daemon?.kill();
    await this.#proxy.close();
  }
}

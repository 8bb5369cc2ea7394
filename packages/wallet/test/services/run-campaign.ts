/**
 * Deposits and withdrawals while everything that takes part in them dies again and again. No two deposits have the same
 * amount, and every withdrawal has an address of its own, so that one that is missing, came twice or went to somebody else can be told from all
 * others. The seed decides who is killed, and how long after the work was given.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createWalletClient, type WalletClient, WalletRpcError } from 'svc-client';
import { DEVELOPMENT_MNEMONIC } from 'svc-ledger';
import { addressFromPublicKey, formatAmount, init, WalletRoot } from 'svc-wasm';
import { startDaemon } from '../testing/daemon.ts';
import { type Language, languagesHere } from '../testing/document-program.ts';
import { patiently } from '../testing/patiently.ts';
import { auditDeposits, auditSums, auditWithdrawals, type Credit } from './audit.ts';
import type { Broken } from './breaking.ts';
import { type Order, Stage, type Victim } from './stage.ts';

export interface CampaignOptions {
  readonly deposits: number;
  readonly withdrawals: number;
  readonly addresses: number;
  readonly kills: number;
  readonly seed: number;
  readonly directory: string;
  /** The pace of the network. */
  readonly cutTime: string;
  /** The page whose programs are made wrong. */
  readonly broken?: Broken | undefined;
  onProgress(text: string): void;
}

export interface CampaignFigures {
  readonly languages: readonly Language[];
  readonly credited: number;
  readonly paid: number;
  readonly transactions: number;
  readonly kills: Readonly<Partial<Record<Victim, number>>>;
  /** Kills of a server before it had said that it listens. */
  readonly killsDuringStart: number;
  /** Kills while orders were given that a service had not gone through. */
  readonly killsBeforePaid: number;
  readonly connectionsCut: number;
}

const RECIPIENTS_MAX = 7;
/** Coins that the wallet holds before the first order: an order without a coin is refused for good. */
const DEPOSIT_ATOMS = 100_000_000;
const WITHDRAWAL_ATOMS = 500_000;
/** Rounds of which some kill a server again while it starts. */
const ROUNDS_OF_DOUBLES = 4;
const DOUBLES: readonly number[] = [1, 2];
const KILL_MILLIS_MAX = 1_000;
const AWAY_MILLIS_MAX = 200;
const REPEAT_MILLIS = 200;
const REPEATS_MAX = 3_000;

export async function runCampaign(options: CampaignOptions): Promise<CampaignFigures> {
  await init();
  const stage = await Stage.open(options.directory, options.cutTime, options.broken);
  try {
    const directory = join(options.directory, 'rich');
    mkdirSync(directory);
    const { url: service } = stage.node;
    const rich = await startDaemon({ directory, service, words: DEVELOPMENT_MNEMONIC });
    try {
      return await new Campaign(options, stage, createWalletClient(rich)).run();
    } finally {
      await rich.close();
    }
  } finally {
    await stage.close();
  }
}

class Campaign {
  readonly #options: CampaignOptions;
  readonly #stage: Stage;
  readonly #rich: WalletClient;
  readonly #paid: Credit[] = [];
  readonly #orders: Record<Language, Order[]> = { typescript: [], python: [] };
  readonly #languages = languagesHere();
  #addresses: readonly string[] = [];
  #transactions = 0;
  #killsBeforePaid = 0;
  #random: number;

  constructor(options: CampaignOptions, stage: Stage, rich: WalletClient) {
    this.#options = options;
    this.#stage = stage;
    this.#rich = rich;
    this.#random = options.seed;
  }

  async run(): Promise<CampaignFigures> {
    const { deposits, kills, onProgress, withdrawals } = this.#options;
    await this.#prepare();
    let depositing = Promise.resolve();
    const { victims } = this.#stage;
    for (let round = 0, killed = 0; killed < kills; round++) {
      const share = Math.min(1, (killed + 1) / kills);
      await depositing;
      depositing = this.#depositTo(Math.ceil(deposits * share));
      void depositing.catch(() => {});
      this.#orderTo(Math.ceil(withdrawals * share));
      const victim = victims[round % victims.length] as Victim;
      const isServer = victim === 'node' || victim === 'daemon';
      const isDouble =
        isServer && DOUBLES.includes(round % ROUNDS_OF_DOUBLES) && killed + 1 < kills;
      await this.#disturb(victim, isDouble);
      killed += isDouble ? 2 : 1;
      onProgress(
        `${killed} kills, ${victim} last; ${this.#paid.length} deposits, ${this.#ordered} orders`,
      );
    }
    await depositing;
    await this.#depositTo(deposits);
    this.#orderTo(withdrawals);
    await this.#untilDone();
    return await this.#audit();
  }

  /** Addresses, and a first deposit to each of some, which pay the first orders. */
  async #prepare(): Promise<void> {
    const { client } = this.#stage;
    const names = Array.from({ length: this.#options.addresses }, (_, at) => `customer-${at}`);
    const addresses: string[] = [];
    for (const request_id of names) {
      const { address } = await repeated(() => client.call('new_address', { request_id }));
      addresses.push(address);
    }
    this.#addresses = addresses;
    await this.#stage.startServices();
    await this.#depositTo(RECIPIENTS_MAX);
    const balance = async () => (await client.call('balance', {})).outputs;
    await patiently('the first deposits', async () => (await balance()) >= RECIPIENTS_MAX);
  }

  async #depositTo(count: number): Promise<void> {
    while (this.#paid.length < count) {
      const length = Math.min(RECIPIENTS_MAX, count - this.#paid.length);
      const recipients = Array.from({ length }, (_, at) => {
        const made = this.#paid.length + at;
        const to = this.#addresses[made % this.#addresses.length] as string;
        return { to, amount: formatAmount(String(DEPOSIT_ATOMS + made)) };
      });
      const request_id = `deposits-${this.#paid.length}`;
      await repeated(() => this.#rich.call('send_many', { recipients, request_id }));
      this.#transactions++;
      for (const { amount, to } of recipients) this.#paid.push({ address: to, amount });
    }
  }

  get #ordered(): number {
    return this.#orders.typescript.length + this.#orders.python.length;
  }

  /** Orders go to the services in turn. Each is to be paid to an address that nobody else was given. */
  #orderTo(count: number): void {
    while (this.#ordered < count) {
      const at = this.#ordered;
      const language = this.#languages[at % this.#languages.length] as Language;
      const amount = formatAmount(String(WITHDRAWAL_ATOMS + at));
      this.#orders[language].push({ id: `withdrawal-${at}`, to: strangerAddress(at), amount });
    }
    for (const language of this.#languages) this.#stage.order(language, this.#orders[language]);
  }

  async #disturb(victim: Victim, isDouble: boolean): Promise<void> {
    const stage = this.#stage;
    await delay(this.#below(KILL_MILLIS_MAX));
    stage.expectServices();
    if (victim === 'daemon') {
      await patiently('a socket is open', () => stage.daemon.connections > 0);
      stage.daemon.cutSockets();
    }
    if (this.#languages.some((language) => !this.#isThrough(language))) this.#killsBeforePaid++;
    await stage.kill(victim);
    await delay(this.#below(AWAY_MILLIS_MAX));
    stage.start(victim);
    if (isDouble) {
      await delay(this.#below(KILL_MILLIS_MAX));
      await stage.kill(victim);
      stage.start(victim);
    }
    await stage.listening(victim);
  }

  #isThrough(language: Language): boolean {
    return this.#stage.through(language) === this.#orders[language].length;
  }

  async #untilDone(): Promise<void> {
    const { client } = this.#stage;
    for (const language of this.#languages) {
      await patiently(`every order gone through in ${language}`, () => {
        this.#stage.expectServices();
        return this.#isThrough(language);
      });
      const { length } = this.#paid;
      const isCredited = () => this.#stage.book('deposits', language).length >= length;
      await patiently(`every deposit credited in ${language}`, isCredited);
    }
    const pending = async () => (await client.call('pending', {})).transactions.length;
    await patiently('every payment final', async () => (await pending()) === 0);
    await this.#stage.endServices();
  }

  async #audit(): Promise<CampaignFigures> {
    const stage = this.#stage;
    let fees = 0n;
    for (const language of this.#languages) {
      auditDeposits(stage, language, this.#paid);
      fees += await auditWithdrawals(stage, language, this.#orders[language]);
    }
    const orders = [...this.#orders.typescript, ...this.#orders.python];
    await auditSums(stage, this.#paid, orders, fees);
    assert.equal(orders.length, this.#options.withdrawals);
    return {
      languages: this.#languages,
      credited: this.#paid.length,
      paid: orders.length,
      transactions: this.#transactions,
      kills: stage.kills,
      killsDuringStart: stage.node.killsDuringStart + stage.daemon.killsDuringStart,
      killsBeforePaid: this.#killsBeforePaid,
      connectionsCut: stage.daemon.connectionsCut,
    };
  }

  /** A small generator of numbers, so that a seed names a campaign. */
  #below(bound: number): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.trunc((this.#random / 2 ** 32) * bound);
  }
}

/** Repeats a call under its name until it has a result, as callers are told to. */
async function repeated<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof WalletRpcError) || tries === REPEATS_MAX) throw error;
      if (error.retry === 'never' && !error.funds?.repeat_after) throw error;
    }
    await delay(REPEAT_MILLIS);
  }
}

function strangerAddress(at: number): string {
  using root = WalletRoot.fromEntropy(new Uint8Array(32).fill(7));
  return addressFromPublicKey(root.derivePublicKey(0, 0, at), 'development');
}

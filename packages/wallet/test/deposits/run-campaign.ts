/**
 * Deposits while everything that takes them dies again and again. No two deposits have the same amount, so that a
 * credit which is missing, which came twice or which went to somebody else can be told from all others.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { formatAmount, init } from 'svc-wasm';
import type { Wallet } from '../../src/wallet.ts';
import type { Language } from '../testing/document-program.ts';
import { startTestNetwork, type TestNetwork } from '../testing/network.ts';
import { openWallet, until } from '../testing/open-wallet.ts';
import { type Credit, Shop, type ShopFigures } from './shop.ts';

export interface CampaignOptions {
  readonly deposits: number;
  readonly addresses: number;
  readonly kills: number;
  readonly directory: string;
  onProgress(text: string): void;
}

export interface CampaignFigures extends ShopFigures {
  /** Of the services that credited every deposit once. */
  readonly languages: readonly Language[];
  readonly credited: number;
  readonly transactions: number;
  readonly cuts: number;
}

const RECIPIENTS_MAX = 7;
const AMOUNT_MIN = 1_000_000;
/** Every so often a daemon is killed again while it starts. */
const KILLS_PER_DOUBLE = 4;
const PAUSE_MILLIS_MAX = 200;
const CONNECT_MILLIS_MAX = 3_000;

export async function runCampaign(options: CampaignOptions): Promise<CampaignFigures> {
  await init();
  const net = await startTestNetwork();
  const rich = await openWallet({
    directory: join(options.directory, 'rich'),
    words: net.words,
    service: net.url,
  });
  const shop = await Shop.open(options.directory, net.url);
  try {
    return await new Campaign(options, net, rich, shop).run();
  } finally {
    await shop.close();
    await rich.close();
    await net.close();
  }
}

class Campaign {
  readonly #options: CampaignOptions;
  readonly #net: TestNetwork;
  readonly #rich: Wallet;
  readonly #shop: Shop;
  readonly #paid: Credit[] = [];
  #transactions = 0;
  /** The disturbance that is under way; payments go on meanwhile. */
  #disturbing: Promise<void> = Promise.resolve();

  constructor(options: CampaignOptions, net: TestNetwork, rich: Wallet, shop: Shop) {
    this.#options = options;
    this.#net = net;
    this.#rich = rich;
    this.#shop = shop;
  }

  async run(): Promise<CampaignFigures> {
    const { deposits, kills, onProgress } = this.#options;
    this.#rich.start();
    await until('following', () => this.#rich.scanner.progress.phase === 'following');
    const addresses = await this.#addresses();
    onProgress(`${addresses.length} addresses`);
    await this.#shop.startServices();
    const { figures } = this.#shop;
    for (let made = 0, planned = 0; made < deposits; made = this.#paid.length) {
      await this.#pay(addresses, Math.min(RECIPIENTS_MAX, deposits - made));
      if (planned < kills && made / deposits >= planned / kills) {
        await this.#disturbing;
        const number = ++planned;
        const isDouble = number % KILLS_PER_DOUBLE === 2 && planned < kills;
        if (isDouble) planned++;
        this.#disturbing = this.#disturb(number, isDouble);
        void this.#disturbing.catch(() => {});
        onProgress(`${this.#paid.length} paid, ${figures.daemonKills} kills`);
      }
    }
    await until('every kill done', () => figures.daemonKills >= kills, this.#net);
    await this.#disturbing;
    await until('paid', () => this.#rich.state.journal.openCount() === 0, this.#net);
    for (const language of this.#shop.languages) {
      const isDone = (): boolean => this.#shop.credits(language).length >= deposits;
      await until(`credited in ${language}`, isDone, this.#net);
    }
    return await this.#check();
  }

  async #addresses(): Promise<string[]> {
    const phase = async () => (await this.#shop.client.call('status', {})).scan.phase;
    await until('the shop follows', async () => (await phase()) === 'following');
    const addresses: string[] = [];
    while (addresses.length < this.#options.addresses) {
      const label = `customer ${addresses.length}`;
      addresses.push((await this.#shop.client.call('new_address', { label })).address);
    }
    return addresses;
  }

  async #pay(addresses: readonly string[], count: number): Promise<void> {
    const recipients = Array.from({ length: count }, (_, at) => {
      const made = this.#paid.length + at;
      const to = addresses[made % addresses.length] as string;
      return { to, amount: String(AMOUNT_MIN + made) };
    });
    await until('coins', () => this.#rich.state.outputs.largest(1).length > 0, this.#net);
    await this.#rich.outgoing.perform({
      requestId: `deposits-${this.#paid.length}`,
      method: 'send_many',
      params: { recipients },
      isAutomatic: false,
    });
    this.#transactions++;
    for (const { amount, to } of recipients) {
      this.#paid.push({ address: to, amount: formatAmount(amount) });
    }
  }

  async #disturb(number: number, isDouble: boolean): Promise<void> {
    const shop = this.#shop;
    await shop.listening();
    await this.#untilConnected();
    shop.cutSockets();
    if (number % 3 === 0) await this.#cutSocketsOfNode();
    await pause();
    await shop.killDaemon();
    if (number % 2 === 0) {
      await shop.killServices();
      await shop.startServices();
    }
    await pause();
    shop.startDaemon();
    if (!isDouble) return;
    await pause();
    await shop.killDaemon();
    shop.startDaemon();
  }

  /** Who was cut off comes back after a while that grows; it is waited for, not for long. */
  async #untilConnected(): Promise<void> {
    const end = Date.now() + CONNECT_MILLIS_MAX;
    while (this.#shop.connections === 0 && Date.now() < end) await pause();
  }

  async #cutSocketsOfNode(): Promise<void> {
    await fetch(`${this.#net.url}/v1/dev/close_sockets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"api_version":1}',
    });
  }

  async #check(): Promise<CampaignFigures> {
    const order = (a: Credit, b: Credit): number => (a.amount < b.amount ? -1 : 1);
    const credits = this.#paid.toSorted(order);
    for (const language of this.#shop.languages) {
      assert.deepEqual(this.#shop.credits(language).toSorted(order), credits, language);
    }
    await this.#shop.listening();
    const { balance } = await this.#shop.client.call('balance', {});
    const atoms = ({ amount }: Credit): bigint => BigInt(amount.replace('.', ''));
    const total = credits.reduce((sum, credit) => sum + atoms(credit), 0n);
    assert.equal(balance, formatAmount(String(total)), 'the wallet holds what was credited');
    return {
      ...this.#shop.figures,
      languages: this.#shop.languages,
      credited: credits.length,
      transactions: this.#transactions,
      cuts: this.#rich.state.meta.number('indexed_height', 0),
    };
  }
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MILLIS_MAX));
}

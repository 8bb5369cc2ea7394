/**
 * A development network that lives in the process of a test: a node with its validators and a miner, on ports of its own,
 * with funded accounts and a client. Its keys are public, so it is for nothing else.
 */
import {
  Account,
  type AnswerOf,
  type Client,
  ClientError,
  createClient,
  isFinal,
  pay,
} from 'svc-client';
import { type DevNetwork, devRoot } from 'svc-node/dev';
import type { Devnet, DevnetFaults } from './devnet.ts';
import { faultsOf } from './faults.ts';

const ACCOUNTS = 10;
/** The account that `fund` pays from; the one after it is paid for work. */
const FAUCET = 8;
/** Three are enough; this ends a wait for a transaction that is never executed. */
const CUTS_UNTIL_FINAL_MAX = 120;

export class RunningDevnet implements Devnet {
  readonly url: string;
  readonly network = 'development';
  readonly chainId: string;
  readonly words: string;
  readonly accounts: readonly [Account, Account, Account, ...Account[]];
  readonly client: Client;
  readonly faults: DevnetFaults;
  readonly #network: DevNetwork;

  constructor(network: DevNetwork) {
    const { facts } = network;
    this.#network = network;
    this.url = `http://${facts.http.host}:${facts.http.port}`;
    this.chainId = facts.chainId;
    this.words = facts.words;
    this.accounts = Array.from(
      { length: ACCOUNTS },
      (_, index) => new Account(devRoot(), { network: 'development', index }),
    ) as [Account, Account, Account, ...Account[]];
    this.client = createClient({ url: this.url });
    this.faults = faultsOf(network);
  }

  get height(): number {
    return this.#network.node.composed.core.chain.head.height;
  }

  readonly now = (): number =>
    Math.max(this.#network.node.nowMillis, this.#network.node.composed.core.chain.headTimeMillis);

  mine(cuts = 1): Promise<number> {
    return this.#network.mine(cuts);
  }

  async mineUntilFinal(transactionId: string): Promise<AnswerOf<'transactionStatus'>> {
    for (let made = 0; made < CUTS_UNTIL_FINAL_MAX; made++) {
      const status = await this.client.transactionStatus({ id: transactionId });
      if (status.lifecycle === 'finalized') return status;
      if (isFinal(status) || status.failure === 'dropped' || status.failure === 'invalid')
        throw new ClientError('refused', `the transaction failed: ${status.failure}`, {
          code: 'transaction_failed',
        });
      await this.mine();
    }
    throw new ClientError('refused', `${CUTS_UNTIL_FINAL_MAX} cuts did not make it final`, {
      code: 'not_final',
    });
  }

  async fund(address: string, amount: bigint): Promise<string> {
    const from = this.accounts[FAUCET] as Account;
    const { transactionId } = await pay(this.client, { from, to: address, amount });
    await this.mineUntilFinal(transactionId);
    return transactionId;
  }

  async advance(wish: { readonly epochs: number } | { readonly millis: number }): Promise<number> {
    if ('epochs' in wish) return this.#network.advanceEpochs(wish.epochs);
    if (!Number.isSafeInteger(wish.millis) || wish.millis < 1)
      throw new RangeError('time goes by a whole number of milliseconds, 1 or more');
    return this.#network.advanceTime(wish.millis);
  }

  snapshot(): Promise<string> {
    return this.#network.snapshot();
  }

  revert(name: string): Promise<number> {
    return this.#network.revert(name);
  }

  dump(): Promise<Uint8Array> {
    return this.#network.dump();
  }

  async close(): Promise<void> {
    await this.#network.close();
    for (const account of this.accounts) account.free();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

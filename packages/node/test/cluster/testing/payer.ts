/**
 * Pays from the accounts of a private network to each other, through whichever node it is told to, and knows in
 * the end which payments were executed.
 */
import assert from 'node:assert/strict';
import { outpointKey } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import { type Coin, signDraft } from '../../../src/testing/fixture-wallet.ts';
import type { ClusterNode } from './cluster-node.ts';
import type { PrivateNetwork } from './private-network.ts';
import { waited } from './wait.ts';

interface UtxoPage {
  readonly utxos: readonly {
    readonly outpoint: { readonly transaction_id: string; readonly output_index: number };
    readonly amount: string;
  }[];
}

interface StatusPage {
  readonly statuses: readonly { readonly transaction_id: string; readonly lifecycle: string }[];
}

const FEE = 1_000_000n;
const VALID_CUTS = 90;
const AMOUNT_MIN = 4n * FEE;
const BATCH = 64;

export class Payer {
  /** Payments that a node accepted. */
  readonly ids: string[] = [];
  readonly #network: PrivateNetwork;
  readonly #spent = new Set<string>();

  constructor(network: PrivateNetwork) {
    this.#network = network;
  }

  /** One payment from each of the accounts that has something to spend; how many were accepted. */
  async round(node: ClusterNode, accounts: readonly number[]): Promise<number> {
    const height = await node.height();
    let accepted = 0;
    for (const account of accounts) {
      const coin = await this.#coinOf(node, account);
      if (coin === undefined) continue;
      const wire = this.#sign(account, coin, height);
      const { transaction_id: id } = await node.post<{ transaction_id?: string }>(
        '/v1/transactions',
        { wire_hex: toHex(wire) },
      );
      if (id === undefined) continue;
      this.#spent.add(coin[0]);
      this.ids.push(id);
      accepted++;
    }
    return accepted;
  }

  /** How many of the payments a node has executed for good. */
  async executed(node: ClusterNode): Promise<number> {
    let count = 0;
    for (let at = 0; at < this.ids.length; at += BATCH) {
      const { statuses } = await node.post<StatusPage>('/v1/transactions/status', {
        transaction_ids: this.ids.slice(at, at + BATCH),
      });
      count += statuses.filter(({ lifecycle }) => lifecycle === 'finalized').length;
    }
    return count;
  }

  /** Waits until every payment is executed. */
  async settle(node: ClusterNode, millisMax: number): Promise<void> {
    const all = async () => ((await this.executed(node)) === this.ids.length ? true : undefined);
    await waited(all, `${this.ids.length} payments at ${node.name}`, millisMax);
  }

  async #coinOf(node: ClusterNode, account: number): Promise<Coin | undefined> {
    const { address, text } = this.#account(account);
    const { utxos } = await node.get<UtxoPage>(`/v1/address/${text}/utxos?limit=64`);
    for (const { outpoint, amount } of utxos) {
      const key = outpointKey({
        transactionId: outpoint.transaction_id,
        outputIndex: outpoint.output_index,
      });
      if (BigInt(amount) <= AMOUNT_MIN || this.#spent.has(key)) continue;
      return [key, { address, amount: BigInt(amount) } as Coin[1]];
    }
    return undefined;
  }

  #sign(from: number, coin: Coin, height: number): Uint8Array {
    const { accounts } = this.#network.keys;
    const half = (coin[1].amount - FEE) / 2n;
    const to = this.#account((from + 1) % accounts.length);
    return signDraft(
      {
        from,
        coins: [coin],
        outputs: [
          { address: to.address, amount: half },
          { address: this.#account(from).address, amount: coin[1].amount - FEE - half },
        ],
        validFrom: height,
        validUntil: height + VALID_CUTS,
      },
      this.#network.manifest,
    );
  }

  #account(index: number): { readonly address: string; readonly text: string } {
    return this.#network.keys.accounts[index] ?? assert.fail(`there is no account ${index}`);
  }
}

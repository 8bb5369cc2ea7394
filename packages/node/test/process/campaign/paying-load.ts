/**
 * Payments without end over HTTP, by a client that remembers what was acknowledged. A coin is offered once:
 * whether an answer that got lost was a yes is for the chain to say.
 */
import { outpointKey } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import type { Manifest } from 'svc-wasm/protocol';
import type { DevAccount } from '../../../src/dev/dev-genesis.ts';
import { type Coin, signDraft } from '../../../src/testing/fixture-wallet.ts';
import { post, read } from '../kit.ts';

interface UtxosAnswer {
  readonly indexed_height: number;
  readonly utxos: readonly {
    readonly outpoint: { readonly transaction_id: string; readonly output_index: number };
    readonly amount: string;
    readonly finalized_height: number;
  }[];
}

const FEE = 1_000_000n;
const PARTS = 4n;
const VALID_CUTS = 90;
const LIST_MAX = 64;
/** Between two payments, so that the network has time for its own work. */
const PAUSE_MILLIS = 25;

export class PayingLoad {
  readonly acknowledged = new Set<string>();
  readonly #accounts: readonly DevAccount[];
  readonly #manifest: Manifest;
  readonly #offered = new Set<string>();
  #url: string | undefined;

  /** The accounts pay one another, the last one pays the first. */
  constructor(accounts: readonly DevAccount[], manifest: Manifest) {
    this.#accounts = accounts;
    this.#manifest = manifest;
  }

  /** The address of one of the accounts. */
  get payer(): string {
    return this.#accounts[0]?.text ?? '';
  }

  /** Pays until `stop`, or until the network is gone. */
  async run(url: string): Promise<void> {
    this.#url = url;
    try {
      while (this.#url === url) await this.#goRound(url);
    } catch (error) {
      if (!isConnectionError(error)) throw error;
    }
  }

  stop(): void {
    this.#url = undefined;
  }

  async #goRound(url: string): Promise<void> {
    for (const account of this.#accounts) {
      const path = `/v1/address/${account.text}/utxos?limit=${LIST_MAX}`;
      const { indexed_height, utxos } = await read<UtxosAnswer>(`${url}${path}`);
      const coin = utxos
        .map((utxo) => coinOf(utxo, account.address))
        .find(([outpoint, { amount }]) => !this.#offered.has(outpoint) && amount > PARTS * FEE);
      if (coin !== undefined) await this.#pay(url, account, coin, indexed_height);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
      if (this.#url !== url) return;
    }
  }

  async #pay(url: string, from: DevAccount, coin: Coin, height: number): Promise<void> {
    const [outpoint, { amount }] = coin;
    const to = this.#accounts[(from.index + 1) % this.#accounts.length] ?? from;
    const part = (amount - FEE) / PARTS;
    const addresses = [to.address, to.address, from.address, from.address];
    const wire = signDraft(
      {
        from: from.index,
        coins: [coin],
        outputs: addresses.map((address) => ({ address, amount: part })),
        validFrom: height,
        validUntil: height + VALID_CUTS,
      },
      this.#manifest,
    );
    this.#offered.add(outpoint);
    const body = { api_version: 1, wire_hex: toHex(wire) };
    const answer = await post<{ result?: string; transaction_id: string }>(
      `${url}/v1/transactions`,
      body,
    );
    if (answer.result === 'accepted') this.acknowledged.add(answer.transaction_id);
  }
}

function coinOf(
  { outpoint, amount, finalized_height }: UtxosAnswer['utxos'][number],
  address: string,
): Coin {
  const { transaction_id: transactionId, output_index: outputIndex } = outpoint;
  const output = {
    address,
    amount: BigInt(amount),
    source: 'transaction',
    height: finalized_height,
  };
  return [outpointKey({ transactionId, outputIndex }), output as Coin[1]];
}

/** `fetch` fails with a `TypeError` when nobody answers. */
function isConnectionError(error: unknown): boolean {
  return error instanceof TypeError || error instanceof SyntaxError;
}

/**
 * Proves what a node answers about addresses and outputs: against a cut that validators signed, which are followed from a
 * cut that is trusted. What is trusted is kept in a store and moves on by itself.
 */

import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import {
  checkAddressCompleteness,
  checkUtxoProof,
  fromHex,
  init,
  type Network,
  type ProvenAddress,
  type ProvenUtxo,
} from 'svc-wasm';
import type { Client } from '../client.ts';
import { ClientError } from '../client-error.ts';
import { LightClient, trustCut } from '../light-client.ts';
import type { TrustStore } from './trust-store.ts';

/** What the node is asked for. */
export type LightWalletClient = Pick<
  Client,
  | 'addressProof'
  | 'chainHead'
  | 'cutCertificate'
  | 'cutValidators'
  | 'proofsCuts'
  | 'proofsUtxos'
  | 'transaction'
>;

/** What a light wallet asks, where it keeps its trust and where its trust begins. */
export interface LightWalletOptions {
  readonly client: LightWalletClient;
  readonly store: TrustStore;
  /**
   * What is trusted at the first start, as `trustCut` returned it somewhere else. Unless given, the head that the node
   * shows at the first start is trusted without a proof.
   */
  readonly anchor?: string;
  /** The texts of recovery files that are followed, as for `LightClient`. */
  readonly recoveries?: readonly string[];
  /** Unix milliseconds; the clock of the machine unless given. */
  readonly now?: () => number;
}

/** Every output of an address, proven to be all of them. */
export interface ProvenBalance extends ProvenAddress {
  /** The certified cut after which the address has exactly these outputs. */
  readonly height: bigint;
}

/** What is left of a transaction in the state of a certified cut. */
export interface ProvenTransaction {
  readonly height: bigint;
  /** The outputs of the transaction that are unspent after the cut. */
  readonly unspent: readonly ProvenUtxo[];
}

const PROOFS_PER_REQUEST = 8;

/** Proves what a node says of addresses and transactions, and advances its trust by itself. */
export class LightWallet {
  readonly #client: LightWalletClient;
  readonly #store: TrustStore;
  readonly #light: LightClient;
  readonly #network: Network;
  #kept: string;

  /**
   * Continues with what the store keeps, or begins with the anchor or the head.
   *
   * @example
   * const light = await LightWallet.open({ client, store: memoryStore() });
   * const { balance } = await light.proveBalance(address);
   */
  static async open(options: LightWalletOptions): Promise<LightWallet> {
    await init();
    const { client, store, anchor, now = () => SYSTEM_CLOCK.now(), recoveries = [] } = options;
    const kept = await store.load();
    const { network, chain_id, cut } = await client.chainHead();
    const trusted = kept ?? anchor ?? (await trustRecent(client, network, chain_id, cut.height));
    const light = new LightClient({ client, trusted, now, recoveries });
    if (kept === undefined) await store.save(trusted);
    return new LightWallet(client, store, light, network);
  }

  private constructor(
    client: LightWalletClient,
    store: TrustStore,
    light: LightClient,
    network: Network,
  ) {
    this.#client = client;
    this.#store = store;
    this.#light = light;
    this.#network = network;
    this.#kept = light.trusted;
  }

  /** The height of the cut that is trusted now. */
  get trustedHeight(): number {
    return this.#light.trustedHeight;
  }

  /** Every output of an address and their sum, proven to be all. */
  async proveBalance(address: string): Promise<ProvenBalance> {
    const { cut, proof_hex } = await this.#client.addressProof({ address });
    const certified = await this.#certify(cut.height);
    const proven = checkAddressCompleteness(fromHex(proof_hex), certified, address);
    return { ...proven, height: certified.height };
  }

  /** That outputs of a transaction are part of the state, and what they are worth. */
  async proveTransaction(transactionId: string): Promise<ProvenTransaction> {
    const { outputs } = await this.#client.transaction({ id: transactionId });
    const unspent: ProvenUtxo[] = [];
    const outpoints = outputs.slice(0, PROOFS_PER_REQUEST).map(({ output_index }) => ({
      transaction_id: transactionId,
      output_index,
    }));
    const { cut, proofs } = await this.#client.proofsUtxos({ outpoints });
    const certified = await this.#certify(cut.height);
    for (const [at, { proof_hex }] of proofs.entries()) {
      const index = outpoints[at]?.output_index;
      if (proof_hex === null || index === undefined) continue;
      const proof = fromHex(proof_hex);
      unspent.push(checkUtxoProof(proof, certified, transactionId, index, this.#network));
    }
    if (unspent.length > 0) return { height: certified.height, unspent };
    throw new ClientError('refused', 'no output of the transaction is unspent at the head', {
      code: 'nothing_to_prove',
      hint: 'wait until the transaction is final; once all its outputs are spent it cannot be proven',
    });
  }

  async #certify(height: number): ReturnType<LightClient['certify']> {
    const cut = await this.#light.certify(height);
    if (this.#light.trusted !== this.#kept) {
      this.#kept = this.#light.trusted;
      await this.#store.save(this.#kept);
    }
    return cut;
  }
}

/** The last cut of an epoch cannot be trusted; the one before it can. */
async function trustRecent(
  client: LightWalletClient,
  network: Network,
  chainId: string,
  height: number,
): Promise<string> {
  try {
    return await trustCut(client, network, chainId, height);
  } catch (error) {
    if (height <= 1) throw error;
    return await trustCut(client, network, chainId, height - 1);
  }
}

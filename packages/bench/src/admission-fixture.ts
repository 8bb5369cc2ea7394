/**
 * A chain at its genesis on a real disk, and signed payments that each spend an output of it. The payments
 * come from more keys than a kernel keeps expanded, so that every check does all its work.
 */
import { Signal } from 'svc-base/pure';
import {
  chainIdOf,
  GENESIS_SUPPLY,
  type Genesis,
  genesisState,
  keyAddress,
  LEDGER_PARAMETERS,
  PAYOUT_KINDS,
  payoutId,
  WireTransactions,
} from 'svc-ledger';
import type { Chain } from 'svc-node';
import { type LedgerStore, openStore } from 'svc-storage';
import { assembleTransaction, encodeTransactionBody, encodeWitness, spendMessage } from 'svc-wasm';
import { CONTEXTS, contextBytes, encodeAddress, fromHex, toHex } from 'svc-wasm/base';
import { type KeyPair, mlDsa65 } from 'svc-wasm/kernel';
import { createManifest, hashLabel, keyHash } from 'svc-wasm/protocol';

interface Payer extends KeyPair {
  readonly address: string;
  readonly text: string;
}

const NETWORK = 'development';
const PAYERS = 32;
const SELF_BOND = 100_000_000_000_000n;
const FEE = 200_000n;

function createPayers(): Payer[] {
  return Array.from({ length: PAYERS }, (_, index) => {
    const keys = mlDsa65.keygen(new Uint8Array(32).fill(index + 1));
    const hash = keyHash(keys.publicKey);
    const text = encodeAddress(Uint8Array.of(0, ...hash), NETWORK);
    return { ...keys, address: keyAddress(toHex(hash)), text };
  });
}

export class AdmissionFixture {
  readonly #payers = createPayers();
  readonly #genesis: Genesis;
  readonly #amount: bigint;
  readonly #store: LedgerStore;
  readonly chain: Chain;

  private constructor(genesis: Genesis, amount: bigint, store: LedgerStore) {
    this.#genesis = genesis;
    this.#amount = amount;
    this.#store = store;
    this.chain = this.#createChain();
  }

  static async create(directory: string, outputs: number): Promise<AdmissionFixture> {
    const payers = createPayers();
    const [owner] = payers as [Payer];
    const amount = (GENESIS_SUPPLY - SELF_BOND) / BigInt(outputs);
    const rest = GENESIS_SUPPLY - SELF_BOND - amount * BigInt(outputs);
    const genesis: Genesis = {
      network: NETWORK,
      timeMillis: 1_700_000_000_000,
      paceMillis: 2_500,
      workTarget: LEDGER_PARAMETERS[NETWORK].workTargetMax,
      outputs: Array.from({ length: outputs }, (_, index) => ({
        address: (payers[index % PAYERS] as Payer).address,
        amount,
      })),
      validators: [
        {
          ownerAddress: owner.address,
          rewardAddress: owner.address,
          amount: SELF_BOND + rest,
          commissionBps: 0,
          consensusPublicKey: new Uint8Array(1_952).fill(7),
          endpoint: Uint8Array.of(1),
        },
      ],
    };
    const parameters = LEDGER_PARAMETERS[NETWORK];
    const chainId = chainIdOf(hashLabel, genesis);
    const store = await openStore({ directory, chainId, parameters, mode: 'archive' });
    const { commitments } = store;
    await store.initialize(genesisState({ parameters, hash: hashLabel, commitments }, genesis));
    return new AdmissionFixture(genesis, amount, store);
  }

  #createChain(): Chain {
    const store = this.#store;
    const manifest = createManifest(NETWORK, fromHex(store.chainId), {});
    const { head } = store;
    if (head === null) throw new Error('there is no genesis');
    return {
      genesis: this.#genesis,
      parameters: LEDGER_PARAMETERS[NETWORK],
      manifest,
      chainId: store.chainId,
      transactions: new WireTransactions(manifest),
      head,
      retention: store.retention,
      headTimeMillis: this.#genesis.timeMillis,
      view: store.view,
      recentCutId: () => undefined,
      setAt: () => undefined,
      reader: () => store.reader(),
      finalized: new Signal(),
    };
  }

  /** The payment of one output; its fee decides its rate. */
  payment(index: number, fee: bigint = FEE): Uint8Array {
    const { json } = this.chain.manifest;
    const payer = this.#payers[index % PAYERS] as Payer;
    const payee = this.#payers[(index + 1) % PAYERS] as Payer;
    const request = {
      valid_from_height: '0',
      valid_until_height: '100',
      inputs: [
        {
          transaction_id: payoutId(
            { chainId: toHex(this.chain.manifest.chainId), hash: hashLabel },
            0,
            PAYOUT_KINDS.genesis,
            index,
          ),
          output_index: '0',
        },
      ],
      outputs: [
        { address: payee.text, amount: String(this.#amount / 2n) },
        { address: payer.text, amount: String(this.#amount - this.#amount / 2n - fee) },
      ],
      payload_hex: '',
    };
    const body = encodeTransactionBody(JSON.stringify(request), json);
    const previous = { address: payer.text, amount: String(this.#amount) };
    const message = spendMessage(body, 0, JSON.stringify(previous), json);
    const context = contextBytes(CONTEXTS.spend);
    const signature = mlDsa65.sign(payer.secretKey, message, { context });
    return assembleTransaction(body, [encodeWitness(payer.publicKey, signature)], json);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/**
 * Accounts with real keys and the outputs of a genesis. Every transaction it makes is signed; a test says
 * what is to be wrong with one.
 */
import {
  GENESIS_SUPPLY,
  type Genesis,
  keyAddress,
  LEDGER_PARAMETERS,
  outpointKey,
  outpointOf,
  PAYOUT_KINDS,
  payoutId,
} from 'svc-ledger';
import type { OperationRequest } from 'svc-wasm';
import {
  addressFromPublicKey,
  assembleTransaction,
  encodeTransactionBody,
  encodeWitness,
  encodeWitnessWithProfile,
  operationMessage,
  spendMessage,
  WalletRoot,
} from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { hashLabel, keyHash, type Manifest } from 'svc-wasm/protocol';

export interface Account {
  readonly index: number;
  readonly publicKey: Uint8Array;
  readonly address: string;
  readonly text: string;
}

export interface Coin {
  readonly outpoint: string;
  readonly amount: bigint;
  readonly owner: Account;
}

export interface Payment {
  readonly coins: readonly Coin[];
  readonly to?: Account | string;
  readonly fee?: bigint;
  /** What the body declares; nothing unless given. */
  readonly declaredFee?: bigint;
  /** What the payee gets; all but the fee if absent. */
  readonly paid?: bigint;
  readonly validFrom?: number;
  readonly validUntil?: number;
  readonly payload?: string;
  readonly operation?: OperationRequest;
  readonly operationBy?: Account;
  readonly referenced?: boolean;
  /** Changes the signature of an input after it was made. */
  readonly spoiled?: boolean;
}

const SELF_BOND = 1_000_000n * 100_000_000n;
export const FEE = 200_000n;

export class TestWallet {
  readonly root: WalletRoot;
  readonly accounts: readonly Account[];
  readonly coinsEach: number;
  readonly validator: Account;
  manifest!: Manifest;

  constructor(accounts: number, coinsEach: number) {
    this.root = WalletRoot.fromEntropy(new Uint8Array(32).fill(9));
    this.accounts = Array.from({ length: accounts }, (_, index) => this.#account(index));
    this.validator = this.#account(1_000);
    this.coinsEach = coinsEach;
  }

  #account(index: number): Account {
    const publicKey = this.root.derivePublicKey(0, 0, index);
    const text = addressFromPublicKey(publicKey, 'development');
    return { index, publicKey, address: keyAddress(toHex(keyHash(publicKey))), text };
  }

  account(index: number): Account {
    return this.accounts[index % this.accounts.length] as Account;
  }

  /** Every account has as many outputs, all of one amount. */
  genesis(paceMillis = 500): Genesis {
    const { accounts, validator } = this;
    return {
      network: 'development',
      timeMillis: 1_700_000_000_000,
      paceMillis,
      workTarget: LEDGER_PARAMETERS.development.workTargetMax,
      outputs: Array.from({ length: accounts.length * this.coinsEach }, (_, index) => ({
        address: this.account(index).address,
        amount: this.#amountAt(index),
      })),
      validators: [
        {
          ownerAddress: this.account(0).address,
          rewardAddress: this.account(0).address,
          amount: SELF_BOND,
          commissionBps: 500,
          consensusPublicKey: validator.publicKey,
          endpoint: Uint8Array.of(1),
        },
      ],
    };
  }

  #amountAt(index: number): bigint {
    const count = BigInt(this.accounts.length * this.coinsEach);
    const free = GENESIS_SUPPLY - SELF_BOND;
    return free / count + (index === 0 ? free % count : 0n);
  }

  /** The outputs of the genesis, account after account. */
  coin(index: number): Coin {
    const transactionId = payoutId(
      { chainId: toHex(this.manifest.chainId), hash: hashLabel },
      0,
      PAYOUT_KINDS.genesis,
      index,
    );
    const outpoint = outpointKey({ transactionId, outputIndex: 0 });
    const owner = this.account(index);
    return { outpoint, amount: this.#amountAt(index), owner };
  }

  get coinCount(): number {
    return this.accounts.length * this.coinsEach;
  }

  pay(payment: Payment): Uint8Array {
    const { json } = this.manifest;
    const body = encodeTransactionBody(JSON.stringify(this.#request(payment)), json);
    const witnesses = payment.coins.map(({ owner, amount }, place) => {
      const previous = JSON.stringify({ address: owner.text, amount: String(amount) });
      const message = spendMessage(body, place, previous, json);
      const signature = this.root.sign(0, 0, owner.index, message, true);
      if (payment.spoiled === true) signature[100] = (signature[100] as number) ^ 1;
      return payment.referenced === true
        ? encodeWitnessWithProfile('referenced', null, signature)
        : encodeWitness(owner.publicKey, signature);
    });
    if (payment.operation !== undefined) {
      const signer = payment.operationBy ?? (payment.coins[0] as Coin).owner;
      const message = operationMessage(body, json);
      const signature = this.root.sign(0, 0, signer.index, message, false);
      witnesses.push(encodeWitness(signer.publicKey, signature));
    }
    return assembleTransaction(body, witnesses, json);
  }

  #request(payment: Payment) {
    const { coins, fee = FEE, operation } = payment;
    const total = coins.reduce((sum, { amount }) => sum + amount, 0n);
    const data: Record<string, string> = { ...operation?.data };
    const bonded = operation?.type === 'bond' ? BigInt(data['amount'] ?? 0) : 0n;
    const to = payment.to ?? this.account(1);
    return {
      valid_from_height: String(payment.validFrom ?? 0),
      valid_until_height: String(payment.validUntil ?? 100),
      ...(payment.declaredFee === undefined ? {} : { fee: String(payment.declaredFee) }),
      inputs: coins.map(({ outpoint }) => {
        const { transactionId, outputIndex } = outpointOf(outpoint);
        return { transaction_id: transactionId, output_index: String(outputIndex) };
      }),
      outputs: [
        {
          address: typeof to === 'string' ? to : to.text,
          amount: String(payment.paid ?? total - fee - bonded),
        },
      ],
      payload_hex: payment.payload ?? '',
      ...(operation === undefined ? {} : { operation }),
    };
  }
}

/**
 * Makes payments and delegations from the outputs of a state, in the bytes of the protocol. Their
 * signatures are accepted as checked elsewhere, except where a forged one is wanted.
 */
import type { Address, ExecutableTransaction, OutpointKey, OutputRecord } from 'svc-ledger';
import { ATOMS_PER_COIN, outpointOf } from 'svc-ledger';
import type { MemoryState } from 'svc-ledger/testing';
import { assembleTransaction, encodeWitness } from 'svc-wasm';
import { encodeBody } from 'svc-wasm/protocol';
import type { Random } from '../base/random.ts';
import type { Account, LedgerSetting } from './setting.ts';

export interface WalletTransaction {
  /** The one output that it spends. */
  readonly outpoint: OutpointKey;
  readonly wire: Uint8Array;
  readonly transaction: ExecutableTransaction;
}

export const FEE = 300_000n;
const DELEGATION = 1_000n * ATOMS_PER_COIN;
const VALIDITY_CUTS = 40;
const SIGNATURE = new Uint8Array(3_309);

export class Wallet {
  readonly #setting: LedgerSetting;

  constructor(setting: LedgerSetting) {
    this.#setting = setting;
  }

  /** Something that is mostly fine; other blocks may spend the same output. */
  draw(random: Random, state: MemoryState, height: number): WalletTransaction | undefined {
    const [outpoint, output] = random.pick(state.records('outputs'));
    const owner = this.#setting.accounts.find(({ address }) => address === output.address);
    if (owner === undefined || output.amount < DELEGATION + 2n * FEE) return undefined;
    const delegated = random.chance(0.2) ? DELEGATION : 0n;
    const validFrom = random.chance(0.1) ? height + 4 : height;
    const validity = random.chance(0.1) ? 1 : VALIDITY_CUTS;
    const request = {
      valid_from_height: String(validFrom),
      valid_until_height: String(validFrom + validity),
      inputs: [inputOf(outpoint)],
      outputs: this.#outputs(random, owner, output.amount - FEE - delegated),
      payload_hex: '',
      ...(delegated === 0n ? {} : { operation: this.#bond(random, owner) }),
    };
    const isSigned = !random.chance(0.1);
    const operationSigner = delegated === 0n ? null : owner.address;
    const signer = isSigned ? operationSigner : undefined;
    return { outpoint, ...encodeRequest(this.#setting, request, owner, output, signer) };
  }

  #outputs(random: Random, owner: Account, amount: bigint) {
    const paid = (amount * BigInt(random.integer(1, 99))) / 100n;
    const payee = random.pick(this.#setting.accounts);
    return [
      { address: payee.text, amount: String(paid) },
      { address: owner.text, amount: String(amount - paid) },
    ];
  }

  #bond(random: Random, owner: Account) {
    return {
      type: 'bond',
      data: {
        validator_id: random.pick(this.#setting.validatorIds),
        owner_address: owner.text,
        reward_address: owner.text,
        amount: String(DELEGATION),
      },
    };
  }
}

/**
 * A transaction that spends one output of an account. Its signatures count as checked, for an operation also that of
 * `signer`; undefined makes them forged.
 */
export function encodeRequest(
  { manifest, wires }: LedgerSetting,
  request: { readonly operation?: { readonly data: object } },
  owner: Account,
  { address, amount }: OutputRecord,
  signer: Address | null | undefined,
): Omit<WalletTransaction, 'outpoint'> {
  const body = encodeBody(JSON.stringify(request), manifest);
  const witness = encodeWitness(owner.publicKey, SIGNATURE);
  const { operation } = request;
  const witnesses = operation === undefined ? [witness] : [witness, witness];
  const namesKey = operation !== undefined && 'consensus_public_key_hex' in operation.data;
  const wire = namesKey
    ? assembleTransaction(body, witnesses, manifest.json, SIGNATURE)
    : assembleTransaction(body, witnesses, manifest.json);
  const transaction = wires.decode(wire);
  if (signer !== undefined) wires.accept(transaction, [{ address, amount }], signer);
  return { wire, transaction };
}

export function inputOf(outpoint: string) {
  const { transactionId, outputIndex } = outpointOf(outpoint);
  return { transaction_id: transactionId, output_index: String(outputIndex) };
}

/**
 * Makes payments and delegations from the outputs of a state, in the bytes of the protocol. Their
 * signatures are accepted as checked elsewhere, except where a forged one is wanted.
 */
import type { ExecutableTransaction, OutpointKey, OutputRecord } from 'svc-ledger';
import { ATOMS_PER_COIN, outpointOf } from 'svc-ledger';
import type { MemoryState } from 'svc-ledger/testing';
import { assembleTransaction, encodeWitness } from 'svc-wasm';
import { encodeBody } from 'svc-wasm/protocol';
import type { Random } from '../base/random.ts';
import type { Account } from './accounts.ts';
import type { LedgerSetting } from './setting.ts';

export interface WalletTransaction {
  /** The one output that it spends. */
  readonly outpoint: OutpointKey;
  readonly wire: Uint8Array;
  readonly transaction: ExecutableTransaction;
}

const FEE = 300_000n;
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
    return { outpoint, ...this.#encode(request, owner, output, isSigned) };
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

  #encode(
    request: { readonly operation?: object },
    owner: Account,
    spent: OutputRecord,
    isSigned: boolean,
  ): Omit<WalletTransaction, 'outpoint'> {
    const { manifest, wires } = this.#setting;
    const body = encodeBody(JSON.stringify(request), manifest);
    const witness = encodeWitness(owner.publicKey, SIGNATURE);
    const isBond = request.operation !== undefined;
    const witnesses = isBond ? [witness, witness] : [witness];
    const wire = assembleTransaction(body, witnesses, manifest.json);
    const transaction = wires.decode(wire);
    if (isSigned) {
      const { address, amount } = spent;
      wires.accept(transaction, [{ address, amount }], isBond ? owner.address : null);
    }
    return { wire, transaction };
  }
}

function inputOf(outpoint: string) {
  const { transactionId, outputIndex } = outpointOf(outpoint);
  return { transaction_id: transactionId, output_index: String(outputIndex) };
}

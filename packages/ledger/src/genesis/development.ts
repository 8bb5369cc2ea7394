/**
 * The development genesis: always the same for the same addresses, so that everybody's development
 * chain has one id. Keys are derived elsewhere; this file sees addresses only.
 */
import { invariant } from '../assertion.ts';
import type { Address } from '../identifiers.ts';
import { ATOMS_PER_COIN, GENESIS_SUPPLY, LEDGER_PARAMETERS } from '../parameters.ts';
import type { Genesis } from './document.ts';

/** The recovery phrase of the ten accounts. It is public: nothing of value belongs there. */
export const DEVELOPMENT_MNEMONIC: string = `${'abandon '.repeat(23)}art`;
export const DEVELOPMENT_ACCOUNTS = 10;

const SELF_BOND = 1_000_000n * ATOMS_PER_COIN;
const TIME_MILLIS = 1_767_225_600_000;
const PACE_MILLIS = 500;

export interface DevelopmentKeys {
  /** The addresses of the ten accounts. */
  readonly accounts: readonly Address[];
  readonly consensusPublicKey: Uint8Array;
  readonly endpoint: Uint8Array;
}

/** Ten accounts with equal amounts; the first also owns the only validator. */
export function developmentGenesis({
  accounts,
  consensusPublicKey,
  endpoint,
}: DevelopmentKeys): Genesis {
  invariant(accounts.length === DEVELOPMENT_ACCOUNTS, `${accounts.length} accounts`);
  const owner = accounts[0] as Address;
  const amount = (GENESIS_SUPPLY - SELF_BOND) / BigInt(DEVELOPMENT_ACCOUNTS);
  return {
    network: 'development',
    timeMillis: TIME_MILLIS,
    paceMillis: PACE_MILLIS,
    workTarget: LEDGER_PARAMETERS.development.workTargetMax,
    outputs: accounts.map((address) => ({ address, amount })),
    validators: [
      {
        ownerAddress: owner,
        rewardAddress: owner,
        amount: SELF_BOND,
        commissionBps: 500,
        consensusPublicKey,
        endpoint,
      },
    ],
  };
}

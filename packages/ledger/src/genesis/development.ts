/**
 * The genesis of a development network: the same options give the same chain. Keys are derived elsewhere;
 * this file sees addresses only.
 */
import { invariant } from '../assertion.ts';
import type { Address } from '../identifiers.ts';
import { ATOMS_PER_COIN, GENESIS_SUPPLY, LEDGER_PARAMETERS } from '../parameters.ts';
import type { Genesis, GenesisOutput } from './document.ts';

/** The recovery phrase of the ten accounts. It is public: nothing of value belongs there. */
export const DEVELOPMENT_MNEMONIC: string = `${'abandon '.repeat(23)}art`;
export const DEVELOPMENT_ACCOUNTS = 10;

const SELF_BOND = 1_000_000n * ATOMS_PER_COIN;
const COMMISSION_BPS = 500;

export interface DevelopmentValidator {
  readonly consensusPublicKey: Uint8Array;
  readonly endpoint: Uint8Array;
}

export interface DevelopmentOptions {
  /** The addresses of the ten accounts. */
  readonly accounts: readonly Address[];
  /** One to ten; the first account owns the first, and so on. */
  readonly validators: readonly DevelopmentValidator[];
  /** Further outputs; the accounts share what is left. */
  readonly others?: readonly GenesisOutput[];
  readonly timeMillis: number;
  readonly paceMillis: number;
}

/** Ten accounts with equal amounts, and validators with equal bonds. */
export function developmentGenesis(options: DevelopmentOptions): Genesis {
  const { accounts, validators, others = [], timeMillis, paceMillis } = options;
  invariant(accounts.length === DEVELOPMENT_ACCOUNTS, `${accounts.length} accounts`);
  invariant(validators.length <= accounts.length, `${validators.length} validators`);
  const bonded = SELF_BOND * BigInt(validators.length);
  const given = others.reduce((sum, { amount }) => sum + amount, bonded);
  const amount = (GENESIS_SUPPLY - given) / BigInt(DEVELOPMENT_ACCOUNTS);
  return {
    network: 'development',
    timeMillis,
    paceMillis,
    workTarget: LEDGER_PARAMETERS.development.workTargetMax,
    outputs: [...accounts.map((address) => ({ address, amount })), ...others],
    validators: validators.map(({ consensusPublicKey, endpoint }, index) => ({
      ownerAddress: accounts[index] as Address,
      rewardAddress: accounts[index] as Address,
      amount: SELF_BOND,
      commissionBps: COMMISSION_BPS,
      consensusPublicKey,
      endpoint,
    })),
  };
}

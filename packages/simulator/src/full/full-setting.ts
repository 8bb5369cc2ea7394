/**
 * What all full nodes of a simulation share: a genesis with real consensus keys, and real keys of those who act.
 */

import type { ValidatorKey } from 'svc-consensus/shell';
import type { Genesis, LedgerParameters } from 'svc-ledger';
import {
  bytesOf,
  chainIdOf,
  keyAddress,
  LEDGER_PARAMETERS,
  outpointKey,
  PAYOUT_KINDS,
  payoutId,
} from 'svc-ledger';
import { withInterval } from 'svc-ledger/testing';
import { createManifest, hashLabel, type Manifest } from 'svc-wasm/protocol';
import { createSetting } from '../ledger/setting.ts';
import { repeatableKey } from './repeatable-key.ts';
import type { Coin, SigningAccount } from './signed-transaction.ts';

export interface FullSetting {
  readonly genesis: Genesis;
  readonly parameters: LedgerParameters;
  /** Both in the order of the committee. */
  readonly validatorIds: readonly string[];
  readonly keys: readonly ValidatorKey[];
  /** Where miners are paid. */
  readonly payout: string;
  readonly manifest: Manifest;
  readonly payer: FundedAccount;
  /** Undefined in networks whose epochs are longer than a simulation. */
  readonly rotation: RotationKeys | undefined;
}

/** An account with one output of the genesis. */
export interface FundedAccount extends SigningAccount {
  readonly coin: Coin;
}

/** What a rotation and heartbeats need: epochs are short then. */
export interface RotationKeys {
  /** Owns all validators. */
  readonly owner: FundedAccount;
  readonly nextSeed: Uint8Array;
  readonly next: ValidatorKey;
  /** In the order of the committee. */
  readonly feeKeys: readonly ValidatorKey[];
}

const PAYER_SEED = 199;
const OWNER_SEED = 198;
const NEXT_SEED = 197;
const FEE_SEED = 128;

const seedOf = (byte: number) => new Uint8Array(32).fill(byte);

/** The epochs of a network that decides several of them in a simulation. */
export interface ShortEpochs {
  readonly cuts: number;
  readonly paceMs: number;
}

/** With short epochs owners and fee keys are real, so that keys can be rotated and heartbeats be paid for. */
export function createFullSetting(
  stakes: readonly bigint[],
  epochs: ShortEpochs | undefined,
  timeMillis = 0,
): FullSetting {
  const { document, parameters, validatorIds, places, accounts } = createSetting({
    stakes: [stakes],
  });
  const byPlace = stakes.map((_, place) => repeatableKey(seedOf(place + 1)));
  const funded = [accountOf(PAYER_SEED)];
  if (epochs !== undefined) {
    funded.push(accountOf(OWNER_SEED));
    for (const place of stakes.keys()) funded.push(accountOf(FEE_SEED + place));
  }
  const [payer, owner, ...feeAccounts] = funded as [SigningAccount, ...SigningAccount[]];
  const validators = document.validators.map((validator, place) => ({
    ...validator,
    ...(owner === undefined ? {} : { ownerAddress: owner.address }),
    consensusPublicKey: (byPlace[place] as ValidatorKey).publicKey,
  }));
  const outputs = document.outputs.map((output, index) => {
    const address = funded[index]?.address;
    return address === undefined ? output : { ...output, address };
  });
  const paceMillis = epochs?.paceMs ?? document.paceMillis;
  const genesis = { ...document, timeMillis, paceMillis, validators, outputs };
  const chainId = chainIdOf(hashLabel, genesis);
  const withCoin = (account: SigningAccount, index: number): FundedAccount => {
    const transactionId = payoutId({ chainId, hash: hashLabel }, 0, PAYOUT_KINDS.genesis, index);
    const outpoint = outpointKey({ transactionId, outputIndex: 0 });
    return { ...account, coin: { outpoint, amount: outputs[index]?.amount ?? 0n } };
  };
  const rotation = owner && {
    owner: withCoin(owner, 1),
    nextSeed: seedOf(NEXT_SEED),
    next: repeatableKey(seedOf(NEXT_SEED)),
    feeKeys: places.map((place) => (feeAccounts[place] as SigningAccount).key),
  };
  return {
    genesis,
    parameters:
      epochs === undefined ? parameters : withInterval(LEDGER_PARAMETERS.development, epochs.cuts),
    manifest: createManifest(document.network, bytesOf(chainId)),
    payer: withCoin(payer, 0),
    rotation,
    validatorIds,
    keys: places.map((place) => byPlace[place] as ValidatorKey),
    payout: accounts[0]?.address ?? '',
  };
}

function accountOf(seed: number): SigningAccount {
  const key = repeatableKey(seedOf(seed));
  return { key, address: keyAddress(key.keyHash) };
}

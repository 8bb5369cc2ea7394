/**
 * What all full nodes of a simulation share: a genesis with real consensus keys.
 */
import type { Address, Genesis, LedgerParameters, OutpointKey } from 'svc-ledger';
import { bytesOf, chainIdOf, keyAddress, outpointKey, PAYOUT_KINDS, payoutId } from 'svc-ledger';
import { ValidatorKey } from 'svc-validator';
import { createManifest, hashLabel, type Manifest } from 'svc-wasm/protocol';
import { createSetting } from '../ledger/setting.ts';

export interface FullSetting {
  readonly genesis: Genesis;
  readonly parameters: LedgerParameters;
  /** Both in the order of the committee. */
  readonly validatorIds: readonly string[];
  readonly keys: readonly ValidatorKey[];
  /** Where miners are paid. */
  readonly payout: string;
  readonly manifest: Manifest;
  readonly payer: PayerAccount;
}

/** An account with a real key and one output of the genesis. */
export interface PayerAccount {
  readonly key: ValidatorKey;
  readonly address: Address;
  readonly coin: { readonly outpoint: OutpointKey; readonly amount: bigint };
}

const PAYER_SEED = 199;

export function createFullSetting(stakes: readonly bigint[]): FullSetting {
  const { document, parameters, validatorIds, places, accounts } = createSetting(stakes);
  const byPlace = stakes.map((_, place) =>
    ValidatorKey.fromSeed(new Uint8Array(32).fill(place + 1)),
  );
  const validators = document.validators.map((validator, place) => ({
    ...validator,
    consensusPublicKey: (byPlace[place] as ValidatorKey).publicKey,
  }));
  const key = ValidatorKey.fromSeed(new Uint8Array(32).fill(PAYER_SEED));
  const address = keyAddress(key.keyHash);
  const [first, ...others] = document.outputs;
  const amount = first?.amount ?? 0n;
  const outputs = [{ address, amount }, ...others];
  const genesis = { ...document, validators, outputs };
  const chainId = chainIdOf(hashLabel, genesis);
  const transactionId = payoutId({ chainId, hash: hashLabel }, 0, PAYOUT_KINDS.genesis, 0);
  const outpoint = outpointKey({ transactionId, outputIndex: 0 });
  return {
    genesis,
    parameters,
    manifest: createManifest(document.network, bytesOf(chainId)),
    payer: { key, address, coin: { outpoint, amount } },
    validatorIds,
    keys: places.map((place) => byPlace[place] as ValidatorKey),
    payout: accounts[0]?.address ?? '',
  };
}

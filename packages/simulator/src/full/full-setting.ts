/**
 * What all full nodes of a simulation share: a genesis with real consensus keys.
 */
import type { Genesis, LedgerParameters } from 'svc-ledger';
import { ValidatorKey } from 'svc-validator';
import { createSetting } from '../ledger/setting.ts';

export interface FullSetting {
  readonly genesis: Genesis;
  readonly parameters: LedgerParameters;
  /** Both in the order of the committee. */
  readonly validatorIds: readonly string[];
  readonly keys: readonly ValidatorKey[];
  /** Where miners are paid. */
  readonly payout: string;
}

export function createFullSetting(stakes: readonly bigint[]): FullSetting {
  const { document, parameters, validatorIds, places, accounts } = createSetting(stakes);
  const byPlace = stakes.map((_, place) =>
    ValidatorKey.fromSeed(new Uint8Array(32).fill(place + 1)),
  );
  const validators = document.validators.map((validator, place) => ({
    ...validator,
    consensusPublicKey: (byPlace[place] as ValidatorKey).publicKey,
  }));
  return {
    genesis: { ...document, validators },
    parameters,
    validatorIds,
    keys: places.map((place) => byPlace[place] as ValidatorKey),
    payout: accounts[0]?.address ?? '',
  };
}

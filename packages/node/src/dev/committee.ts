/**
 * The validators of a development network, all in one process, with faults that can be switched on.
 */
import { equalBytes } from 'svc-wasm/base';
import type { Clock } from '../base/clock.ts';
import type { NodeCore } from '../compose/node-core.ts';
import type { Seat } from '../compose/seats.ts';
import { LocalHub } from '../validator/local-overlay.ts';
import { ValidatorKey } from '../validator/validator-key.ts';
import type { DevKeys } from './dev-keys.ts';
import { ValidatorFaults } from './validator-faults.ts';

export interface DevSeat extends Seat {
  readonly validatorId: string;
  readonly faults: ValidatorFaults;
}

export function devSeats({ chain }: NodeCore, keys: DevKeys, clock: Clock): DevSeat[] {
  const hub = new LocalHub(clock);
  return keys.consensus.map(({ seed, publicKey }, place) => {
    const key = ValidatorKey.fromSeed(seed);
    const validatorId = chain.view
      .validatorIds()
      .find((id) => equalBytes(consensusKeyOf(chain, id), publicKey));
    if (validatorId === undefined) throw new Error(`validator ${place} is not of this chain`);
    return {
      name: String(place),
      validatorId,
      key,
      overlay: hub.join(validatorId),
      signState: 'first',
      faults: new ValidatorFaults(key, chain.wire),
    };
  });
}

function consensusKeyOf({ view }: NodeCore['chain'], id: string): Uint8Array {
  return view.get('validators', id)?.consensusKey.publicKey ?? new Uint8Array(0);
}

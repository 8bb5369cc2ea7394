/**
 * The validators of a development network, all in one process, with faults that can be switched on.
 */
import type { Clock } from 'svc-base/pure';
import { ValidatorKey } from 'svc-consensus/shell';
import { genesisValidatorId } from 'svc-ledger';
import { hashLabel } from 'svc-wasm/protocol';
import type { NodeCore } from '../compose/node-core.ts';
import type { Seat } from '../compose/seats.ts';
import { LocalHub } from '../validator/local-overlay.ts';
import type { DevFeeKey, DevKeys } from './dev-keys.ts';
import { LoneKey } from './lone-key.ts';
import { SwitchedFaults } from './validator-faults.ts';

/** A heartbeat costs a fraction of this. */
const HEARTBEAT = { maxFeeAtoms: 1_000_000n, feeRatePerMass: null };

export interface DevSeat extends Seat {
  readonly validatorId: string;
  readonly faults: SwitchedFaults;
}

export function devSeats({ chain }: NodeCore, keys: DevKeys, clock: Clock): DevSeat[] {
  const hub = new LocalHub(clock);
  const isAlone = () => chain.next.validators.validators.length === 1;
  return keys.consensus.map(({ seed }, place) => {
    const key = ValidatorKey.fromSeed(seed);
    const feeKey = ValidatorKey.fromSeed((keys.fees[place] as DevFeeKey).seed);
    const validatorId = genesisValidatorId(hashLabel, place);
    return {
      name: String(place),
      validatorId,
      key: new LoneKey(key, isAlone),
      overlay: hub.join(validatorId),
      signState: 'first',
      heartbeat: { validatorId, feeKey, ...HEARTBEAT },
      faults: new SwitchedFaults(key, chain.wire),
    };
  });
}

/**
 * Misbehaviour of one validator of a development network, switched on and off while it runs.
 */
import type { SignedMessage, WireContext } from 'svc-finality';
import { createEquivocator } from '../dev-faults/equivocator.ts';
import type { DriverFaults } from '../validator/driver-faults.ts';
import type { ValidatorKey } from '../validator/validator-key.ts';

export class ValidatorFaults implements DriverFaults {
  #isGuilty = false;
  readonly #equivocator: DriverFaults;

  constructor(key: ValidatorKey, wire: WireContext) {
    const isGuiltyAt = () => this.#isGuilty;
    this.#equivocator = createEquivocator({ network: 'development', wire, key, isGuiltyAt });
  }

  /** Signs twice at the next opportunity. */
  equivocate(): void {
    this.#isGuilty = true;
  }

  readonly afterSigning = (message: SignedMessage): readonly SignedMessage[] => {
    const others = this.#equivocator.afterSigning?.(message) ?? [];
    if (others.length > 0) this.#isGuilty = false;
    return others;
  };
}

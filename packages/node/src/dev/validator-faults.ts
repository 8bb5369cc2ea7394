/**
 * Misbehaviour of one validator of a development network, switched on and off while it runs. A validator that
 * signs twice uses the key without the signer, and refuses to exist on any other network.
 */
import {
  NIL,
  type SignedMessage,
  signedBytesOf,
  type UnsignedMessage,
  type WireContext,
} from 'svc-consensus/machine';
import type { ValidatorFaults, ValidatorKey, VotingKey } from 'svc-consensus/shell';
import type { Network } from 'svc-wasm/base';

export class SwitchedFaults implements ValidatorFaults {
  #isGuilty = false;
  readonly #equivocator: ValidatorFaults;

  constructor(key: ValidatorKey, wire: WireContext) {
    const isGuiltyAt = () => this.#isGuilty;
    this.#equivocator = createEquivocator({
      network: 'development',
      signedBytes: (message) => signedBytesOf(wire, message),
      key,
      isGuiltyAt,
    });
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

export interface EquivocatorOptions {
  readonly network: Network;
  readonly signedBytes: (message: UnsignedMessage) => Uint8Array;
  readonly key: Pick<VotingKey, 'sign'>;
  /** Heights at which it contradicts itself. */
  readonly isGuiltyAt: (height: number) => boolean;
}

/** Follows every prevote for a cut with one for nothing. */
export function createEquivocator(options: EquivocatorOptions): ValidatorFaults {
  const { network, signedBytes, key, isGuiltyAt } = options;
  if (network !== 'development') throw new Error('equivocation is for the development network');
  return {
    afterSigning(message: SignedMessage): readonly SignedMessage[] {
      if (message.kind !== 'prevote' || message.value === NIL) return [];
      if (!isGuiltyAt(message.height)) return [];
      const { signature: _signature, ...content } = message;
      const other: UnsignedMessage = { ...content, value: NIL };
      return [{ ...other, signature: key.sign(signedBytes(other), 'prevote') }];
    },
  };
}

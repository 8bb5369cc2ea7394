/**
 * A consensus key that no validator of the chain holds yet: waits until one does, and says what the chain has shown of
 * the key's past. A key that was registered after this node had seen the newest cut without it has never signed.
 */
import type { Clock, Log } from 'svc-base/pure';
import { holderOf, indexIn, type SeatKey, type SignStateChoice } from 'svc-consensus/shell';
import { epochOf } from 'svc-ledger';
import type { ChainCore } from '../chain/chain-core.ts';

export interface RegistrationPorts {
  readonly chain: Pick<ChainCore, 'head' | 'next' | 'view' | 'parameters'>;
  /** Whether others show that the head here is the newest. */
  readonly isCurrent: () => boolean;
  readonly key: Pick<SeatKey, 'keyHash' | 'publicKey'>;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_MILLIS = 500;
/** So many looks in a row must find the chain current. */
const CALM_LOOKS = 4;

export class AwaitedRegistration {
  /** Never settles once closed. */
  readonly registered: Promise<SignStateChoice>;
  readonly #ports: RegistrationPorts;
  readonly #resolve: (proof: SignStateChoice) => void;
  #calm = 0;
  #wasSeenWithout = false;
  #cancel: () => void = () => {};

  constructor(ports: RegistrationPorts) {
    this.#ports = ports;
    const { promise, resolve } = Promise.withResolvers<SignStateChoice>();
    this.registered = promise;
    this.#resolve = resolve;
    this.#later();
  }

  close(): void {
    this.#cancel();
  }

  #later(): void {
    this.#cancel = this.#ports.clock.after(LOOK_MILLIS, () => this.#look());
  }

  #look(): void {
    const { chain, isCurrent, key, log } = this.#ports;
    this.#calm = isCurrent() ? this.#calm + 1 : 0;
    const isRegistered = holderOf(chain.view, key) !== null;
    const mayBelieve = this.#calm >= CALM_LOOKS || this.#wasSeenWithout;
    if (mayBelieve && isRegistered) {
      log.info({ height: chain.head.height }, 'the consensus key is registered');
      this.#resolve(this.#proof());
      return;
    }
    if (mayBelieve && !this.#wasSeenWithout) {
      this.#wasSeenWithout = true;
      log.info(
        { key_hash: key.keyHash },
        'no validator holds the consensus key yet: this node waits for the registration and joins by itself',
      );
    }
    this.#later();
  }

  #proof(): SignStateChoice {
    if (this.#wasSeenWithout) return 'unused';
    const { chain, key } = this.#ports;
    const id = holderOf(chain.view, key) as string;
    const validator = chain.view.get('validators', id);
    if (validator?.pendingKey?.value.keyHash === key.keyHash) return 'unused';
    const epoch = epochOf(chain.head.height + 1, chain.parameters.interval);
    const isSeated = indexIn(chain.next.validators, key) !== undefined;
    const isTooYoung = (validator?.eligibleFromEpoch ?? 0) > epoch;
    return isTooYoung && !isSeated ? 'unused' : 'existing';
  }
}

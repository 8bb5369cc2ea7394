/**
 * The validators of a development network, all in one process, with faults that can be switched on.
 */
import type { Clock } from 'svc-base/pure';
import {
  type MessageKind,
  NIL,
  type SignedMessage,
  signedBytesOf,
  type UnsignedMessage,
  type WireContext,
} from 'svc-consensus/machine';
import {
  type SeatKey,
  type Validator,
  type ValidatorFaults,
  ValidatorKey,
  type VotingKey,
} from 'svc-consensus/shell';
import { genesisValidatorId } from 'svc-ledger';
import { type Network, SIGNATURE_BYTES } from 'svc-wasm/base';
import { hashLabel } from 'svc-wasm/protocol';
import type { ChainCore } from '../chain/chain-core.ts';
import type { NodeCore } from '../compose/node-core.ts';
import type { Seat } from '../compose/seats.ts';
import { LocalHub } from '../validator/local-overlay.ts';
import type { DevFeeKey, DevKeys } from './dev-genesis.ts';

const EMPTY_SIGNATURE = new Uint8Array(SIGNATURE_BYTES);

/**
 * The consensus key of a validator that decides alone. Proposals and prevotes go to the other members of the committee and
 * count among them; where there are none, their signatures are never verified, and they are left empty. Precommits are
 * always signed: they become the certificate that everybody checks. For development networks, whose validators are all in
 * one process.
 */
export class LoneKey implements SeatKey {
  readonly #key: ValidatorKey;
  readonly #isAlone: () => boolean;

  /** `isAlone` tells whether the committee in progress has one member. */
  constructor(key: ValidatorKey, isAlone: () => boolean) {
    this.#key = key;
    this.#isAlone = isAlone;
  }

  get id(): Uint8Array {
    return this.#key.id;
  }

  get publicKey(): Uint8Array {
    return this.#key.publicKey;
  }

  get keyHash(): string {
    return this.#key.keyHash;
  }

  sign(signedBytes: Uint8Array, kind: MessageKind): Uint8Array {
    if (kind !== 'precommit' && this.#isAlone()) return EMPTY_SIGNATURE;
    return this.#key.sign(signedBytes, kind);
  }

  signHeartbeat(body: Uint8Array, manifestJson: string): Uint8Array | undefined {
    return this.#key.signHeartbeat(body, manifestJson);
  }

  proveHeld(challenge: Uint8Array): Uint8Array {
    return this.#key.proveHeld(challenge);
  }
}

/**
 * Misbehaviour of one validator of a development network, switched on and off while it runs. A validator that
 * signs twice uses the key without the signer, and refuses to exist on any other network.
 */
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

interface EquivocatorOptions {
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

interface Member {
  readonly driver: Validator;
  /** The height of the last cut that the validator misses. */
  absentThrough: number;
}

/**
 * Which validators of a development network take part: all of them unless finality is paused or one is to miss
 * cuts.
 */
export class Presence {
  readonly #chain: ChainCore;
  readonly #members: readonly Member[];
  readonly #stopFollowing: () => void;
  #isPaused = false;

  constructor(chain: ChainCore, drivers: readonly Validator[]) {
    this.#chain = chain;
    this.#members = drivers.map((driver) => ({ driver, absentThrough: 0 }));
    this.#stopFollowing = chain.finalized.on(() => this.#apply());
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  pauseAll(on: boolean): void {
    this.#isPaused = on;
    this.#apply();
  }

  /** Keeps the validator at a place away for so many cuts from now; with 0 it takes part again. */
  missCuts(place: number, cuts: number): void {
    const member = this.#members[place];
    if (member === undefined) throw new RangeError(`there is no validator at place ${place}`);
    member.absentThrough = this.#chain.head.height + cuts;
    this.#apply();
  }

  close(): void {
    this.#stopFollowing();
  }

  #apply(): void {
    const { height } = this.#chain.head;
    for (const { driver, absentThrough } of this.#members) {
      if (this.#isPaused || height < absentThrough) driver.pause();
      else driver.resume();
    }
  }
}

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

/**
 * Signatures that cannot be forged: one exists only if the ring made it, and it holds only for the
 * bytes it was made for. The ring also remembers who signed what, which is the ground truth that
 * the checkers compare the nodes' beliefs with.
 */
import type { Round, Signature, UnsignedMessage } from 'svc-consensus/machine';
import { sameSignedBytes } from 'svc-consensus/machine';

/** A signature that exists. */
interface Made {
  readonly message: UnsignedMessage;
  readonly key: number;
}

/** Which key signs for a seat at a height. */
interface SeatKeys {
  /** As nodes believe. */
  readonly believed: (height: number, seat: number) => number | undefined;
  readonly real: (height: number, seat: number) => number | undefined;
}

export class Keyring {
  readonly #keys: SeatKeys;
  /** By the number that the bytes of the signature spell. */
  readonly #made: Made[] = [];
  /** The same by height, for the checkers: few messages are signed at one. */
  readonly #atHeights = new Map<number, Made[]>();
  #asked: UnsignedMessage | undefined;

  constructor(keys: SeatKeys) {
    this.#keys = keys;
  }

  /** The bytes that a signer is asked to sign; the ring remembers what message they are of. */
  signedBytes(message: UnsignedMessage): Uint8Array {
    this.#asked = message;
    return signedBytesOf(message);
  }

  /** Signs the message whose bytes were asked for last. */
  signAsked(key: number): Signature {
    if (this.#asked === undefined) throw new Error('no signature was asked for');
    return this.sign(this.#asked, key);
  }

  sign(message: UnsignedMessage, key: number): Signature {
    const made = { message, key };
    const number = this.#made.push(made) - 1;
    const signature = Uint8Array.of(number & 255, (number >> 8) & 255, (number >> 16) & 255);
    const others = this.#atHeights.get(message.height);
    if (others === undefined) this.#atHeights.set(message.height, [made]);
    else others.push(made);
    return signature;
  }

  verify = (message: UnsignedMessage, signature: Signature): boolean => {
    const [low = 0, middle = 0, high = 0] = signature;
    const made = this.#made[low | (middle << 8) | (high << 16)];
    return (
      made !== undefined &&
      made.key === this.#keys.believed(message.height, message.validatorIndex) &&
      sameSignedBytes(made.message, message)
    );
  };

  /** The seats whose own key has signed exactly this message, whether others saw it or not. */
  signersOf(message: Omit<UnsignedMessage, 'validatorIndex'>): ReadonlySet<number> {
    const seats = new Set<number>();
    for (const { message: made, key } of this.#atHeights.get(message.height) ?? NOTHING)
      if (
        sameSignedBytes(made, message as UnsignedMessage) &&
        this.#keys.real(made.height, made.validatorIndex) === key
      )
        seats.add(made.validatorIndex);
    return seats;
  }

  /** The valid rounds that prevotes for a value in a round name. */
  validRoundsOf({
    height,
    round,
    value,
  }: Pick<UnsignedMessage, 'height' | 'round' | 'value'>): ReadonlySet<Round> {
    const rounds = new Set<Round>();
    for (const { message: made } of this.#atHeights.get(height) ?? NOTHING)
      if (made.kind === 'prevote' && made.round === round && made.value === value)
        rounds.add(made.validRound);
    return rounds;
  }
}

const NOTHING: readonly Made[] = [];

const KIND_CODES = { proposal: 0, prevote: 1, precommit: 2 } as const;

/** Signed bytes of the simulation: short, and different for different messages. */
export function signedBytesOf(message: UnsignedMessage): Uint8Array {
  const { kind, height, round, validRound } = message;
  const value = message.value ?? '';
  const bytes = new Uint8Array(14 + value.length);
  bytes[0] = KIND_CODES[kind];
  writeNumber(bytes, 1, height);
  writeNumber(bytes, 5, round);
  writeNumber(bytes, 9, validRound);
  bytes[13] = message.value === null ? 0 : 1;
  for (let at = 0; at < value.length; at++) bytes[14 + at] = value.charCodeAt(at);
  return bytes;
}

function writeNumber(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >> 24;
  bytes[at + 1] = value >> 16;
  bytes[at + 2] = value >> 8;
  bytes[at + 3] = value;
}

/**
 * Signed messages of the last heights. Two contradicting messages of one validator are found whenever and however the
 * second one arrives: late, inside a certificate, or from the report of another validator. Bounded by heights, by a
 * window of rounds and by one message for each validator, round and kind.
 */
import { votesOf } from '../base/certificate.ts';
import { ROUNDS_AHEAD_MAX, ROUNDS_BEHIND_MAX, VALIDATORS_MAX } from '../base/limits.ts';
import type {
  CommitCertificate,
  MessageKind,
  PolkaCertificate,
  SignedMessage,
} from '../base/messages.ts';
import { isWellFormed, sameSignedBytes } from '../base/messages.ts';
import type { Bitmap, Height, Round, ValidatorIndex, Value } from '../base/types.ts';
import { bitOf, membersOf } from '../base/validator-set.ts';
import type { Conflict } from '../keeper/vote-keeper.ts';

/** Messages of so many heights before the one in progress are kept. */
export const HEIGHTS_REMEMBERED = 32;
/** All messages together, of all heights: the oldest heights go first. */
export const MESSAGES_REMEMBERED_MAX = 8_192;
export const DIGEST_ENTRIES_MAX = 128;
/** Messages that answer one digest: each convicts a validator, and one cut takes four offenders. */
export const DIGEST_ANSWERS_MAX = 8;

/** Lines kept of one validator's report about a height of which no message is held here. */
export const UNSEEN_ENTRIES_MAX = 16;

/** The validators that signed the same message in one round: a line of a digest. */
export interface DigestEntry {
  readonly kind: MessageKind;
  readonly round: Round;
  readonly validRound: Round;
  readonly value: Value;
  readonly signers: Bitmap;
}

/** A digest: a validator's messages of a height without the signatures. */
export interface VoteDigest {
  readonly height: Height;
  /** Grows with every message that is added. */
  readonly version: number;
  readonly entries: readonly DigestEntry[];
}

interface HeightMemory {
  /** The highest round that this validator was in. */
  round: number;
  version: number;
  readonly messages: Map<number, SignedMessage>;
  /** The digest of the version, made at the first request. */
  digest: VoteDigest | undefined;
}

/** A line of a digest in the making. */
interface Line {
  readonly kind: MessageKind;
  readonly round: Round;
  readonly validRound: Round;
  readonly value: Value;
  signers: Bitmap;
  /** Another line of the same kind and round. */
  readonly next: Line | undefined;
}

/** Proposal, prevote, precommit. */
const KINDS = 3;

export class VoteMemory {
  readonly #heights = new Map<number, HeightMemory>();
  #height = 0;
  /** The round of that height that the validator was last seen in. */
  #round: number | undefined;
  #count = 0;
  #fresh: SignedMessage[] = [];

  /** Records the current height of the validator; messages too old for it are dropped. */
  see(height: Height, round: Round): void {
    if (height === this.#height && round === this.#round) return;
    this.#height = Math.max(this.#height, height);
    if (height === this.#height) this.#round = round;
    const memory = this.#heights.get(height);
    if (memory === undefined) {
      this.#memoryOf(height).round = Math.max(round, 0);
      this.#forgetOld();
    } else if (round > memory.round) {
      memory.round = round;
      for (const [key, message] of memory.messages)
        if (message.round < round - ROUNDS_BEHIND_MAX) this.#delete(memory, key);
    }
  }

  /** Whether a message is new here, or contradicts what is held. */
  isWanted(message: SignedMessage): boolean {
    if (!isWellFormed(message) || !this.#isInside(message)) return false;
    const held = this.#held(message);
    return held === undefined || !sameSignedBytes(held, message);
  }

  /** The held message that a message contradicts. */
  conflictOf(message: SignedMessage): Conflict | undefined {
    const held = this.#isInside(message) ? this.#held(message) : undefined;
    if (held === undefined || sameSignedBytes(held, message)) return undefined;
    return { first: held, second: message };
  }

  /** Whether a certificate has a vote that is new here or contradicts one that is held. */
  isCertificateWanted(certificate: CommitCertificate | PolkaCertificate): boolean {
    return votesOf(certificate).some((vote) => this.isWanted(vote));
  }

  /** Keeps a verified message; returns the conflict if it contradicts a held one. */
  add(message: SignedMessage): Conflict | undefined {
    if (!isWellFormed(message) || !this.#isInside(message)) return undefined;
    const memory = this.#memoryOf(message.height);
    const key = keyOf(message);
    const held = memory.messages.get(key);
    if (held !== undefined)
      return sameSignedBytes(held, message) ? undefined : { first: held, second: message };
    memory.messages.set(key, message);
    memory.version += 1;
    memory.digest = undefined;
    this.#count += 1;
    this.#fresh.push(message);
    if (this.#count > MESSAGES_REMEMBERED_MAX) this.#forgetOldest();
    return undefined;
  }

  /** Messages that were added since the last call. */
  takeFresh(): SignedMessage[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }

  /** The heights of which something is kept, lowest first. */
  heights(): Height[] {
    return [...this.#heights.keys()].sort((a, b) => a - b) as Height[];
  }

  /** The lowest height of which something is kept. */
  lowestHeight(): Height | undefined {
    let lowest: number | undefined;
    for (const height of this.#heights.keys())
      if (lowest === undefined || height < lowest) lowest = height;
    return lowest as Height | undefined;
  }

  versionOf(height: Height): number {
    return this.#heights.get(height)?.version ?? 0;
  }

  /** The messages held of a height; if there are very many different ones, those of the last rounds. */
  digestOf(height: Height): VoteDigest {
    const memory = this.#memoryOf(height);
    memory.digest ??= digestOf(height, memory);
    return memory.digest;
  }

  /** Held messages that contradict what another validator has, one for each offender. */
  messagesAgainst({ height, entries }: VoteDigest): SignedMessage[] {
    const messages = this.#heights.get(height)?.messages;
    if (messages === undefined) return [];
    let against: Map<number, SignedMessage> | undefined;
    for (const entry of entries) {
      const { kind, round } = entry;
      for (const validatorIndex of membersOf(entry.signers)) {
        const held = messages.get(keyAt(kind, round, validatorIndex));
        if (held === undefined || saysSame(held, entry)) continue;
        against ??= new Map();
        if (against.size < DIGEST_ANSWERS_MAX) against.set(validatorIndex, held);
      }
    }
    return against === undefined ? [] : [...against.values()];
  }

  /** Lines of a digest about messages that are not held here. */
  unseenIn({ height, entries }: VoteDigest): DigestEntry[] {
    const messages = this.#heights.get(height)?.messages;
    const unseen: DigestEntry[] = [];
    for (const entry of entries) {
      const { kind, round } = entry;
      let signers = 0n;
      for (const validatorIndex of membersOf(entry.signers))
        if (messages?.has(keyAt(kind, round, validatorIndex)) !== true)
          signers |= bitOf(validatorIndex);
      if (signers !== 0n) unseen.push({ ...entry, signers });
    }
    return unseen.length > UNSEEN_ENTRIES_MAX ? unseen.slice(0, UNSEEN_ENTRIES_MAX) : unseen;
  }

  #isInside({ height, round, validatorIndex }: SignedMessage): boolean {
    if (validatorIndex < 0 || validatorIndex >= VALIDATORS_MAX) return false;
    if (height > this.#height + 1 || height < this.#height - HEIGHTS_REMEMBERED) return false;
    const reached = this.#heights.get(height)?.round ?? 0;
    return round <= reached + ROUNDS_AHEAD_MAX && round >= reached - ROUNDS_BEHIND_MAX;
  }

  #held(message: SignedMessage): SignedMessage | undefined {
    return this.#heights.get(message.height)?.messages.get(keyOf(message));
  }

  #memoryOf(height: number): HeightMemory {
    let memory = this.#heights.get(height);
    if (memory === undefined) {
      memory = { round: 0, version: 0, messages: new Map(), digest: undefined };
      this.#heights.set(height, memory);
    }
    return memory;
  }

  #delete(memory: HeightMemory, key: number): void {
    if (memory.messages.delete(key)) this.#count -= 1;
    memory.digest = undefined;
  }

  #forgetOld(): void {
    for (const height of this.#heights.keys())
      if (height < this.#height - HEIGHTS_REMEMBERED) this.#forget(height);
  }

  #forgetOldest(): void {
    const oldest = this.lowestHeight();
    if (oldest !== undefined && oldest < this.#height) this.#forget(oldest);
  }

  #forget(height: number): void {
    this.#count -= this.#heights.get(height)?.messages.size ?? 0;
    this.#heights.delete(height);
  }
}

function keyOf({ kind, round, validatorIndex }: SignedMessage): number {
  return keyAt(kind, round, validatorIndex);
}

function keyAt(kind: MessageKind, round: Round, validatorIndex: ValidatorIndex): number {
  return placeOf(kind, round) * VALIDATORS_MAX + validatorIndex;
}

function placeOf(kind: MessageKind, round: Round): number {
  return round * KINDS + (kind === 'proposal' ? 0 : kind === 'prevote' ? 1 : 2);
}

function saysSame(
  message: SignedMessage,
  { validRound, value }: Pick<DigestEntry, 'validRound' | 'value'>,
): boolean {
  return message.validRound === validRound && message.value === value;
}

function digestOf(height: Height, { version, messages }: HeightMemory): VoteDigest {
  const all: Line[] = [];
  const places = new Map<number, Line>();
  for (const message of messages.values()) {
    const { kind, round, validRound, value } = message;
    const place = placeOf(kind, round);
    const first = places.get(place);
    let line = first;
    while (line !== undefined && !saysSame(message, line)) line = line.next;
    if (line === undefined) {
      line = { kind, round, validRound, value, signers: 0n, next: first };
      places.set(place, line);
      all.push(line);
    }
    line.signers |= bitOf(message.validatorIndex);
  }
  const shown = all.sort((a, b) => b.round - a.round).slice(0, DIGEST_ENTRIES_MAX);
  return { height, version, entries: shown.map(entryOf) };
}

function entryOf({ kind, round, validRound, value, signers }: Line): DigestEntry {
  return { kind, round, validRound, value, signers };
}

/** The lines of one report that another report contradicts, with the validators that it does so about. */
export function disputedIn(
  told: readonly DigestEntry[],
  other: readonly DigestEntry[],
): DigestEntry[] {
  const disputed: DigestEntry[] = [];
  for (const entry of told) {
    let signers = 0n;
    for (const { kind, round, validRound, value, signers: theirs } of other) {
      const isOther = value !== entry.value || validRound !== entry.validRound;
      if (kind === entry.kind && round === entry.round && isOther)
        signers |= entry.signers & theirs;
    }
    if (signers !== 0n) disputed.push({ ...entry, signers });
  }
  return disputed;
}

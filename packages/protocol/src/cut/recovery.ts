/**
 * Recoveries: a document names the committee that decides from one cut on, in place of one that cannot decide any more;
 * `docs/protocol.md` 8.9. It proves who agreed. Each node, wallet and light client follows it only if its configuration names it.
 */
import { equalBytes, fromHex, toHex } from '../base/bytes.ts';
import { Fields, U64_MAX } from '../base/fields.ts';
import { type Json, parseJson } from '../base/json.ts';
import { CONTEXTS, contextBytes, LABELS } from '../base/labels.ts';
import { expectNetwork, type Network } from '../base/networks.ts';
import { ID_BYTES, PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '../base/sizes.ts';
import { hashLabel, keyHash } from '../kernel/hash-label.ts';
import { mlDsa65 } from '../kernel/ml-dsa.ts';
import { wordsOf } from '../ownership/verification-words.ts';
import { expectThat } from './check.ts';
import { VALIDATORS_MAX } from './limits.ts';
import type { TrustedSet } from './trusted-set.ts';
import { decodeValidatorSet, encodeValidatorSet, type ValidatorSet } from './validator-set.ts';

/** The most recoveries of one chain that a program follows. */
export const RECOVERIES_MAX = 8;

/** The last cut that the committee before decided. */
export interface RecoveryPlace {
  readonly network: Network;
  readonly chainId: string;
  readonly height: number;
  readonly cutId: string;
  /** Unix milliseconds, as its header says. */
  readonly timeMillis: number;
}

export interface RecoveredSeat {
  readonly validatorId: string;
  /** As in the set that was to sign the next cut. */
  readonly stake: bigint;
  /** A consensus key that the chain has never seen. */
  readonly publicKey: Uint8Array;
}

export interface RecoveredMember extends RecoveredSeat {
  readonly keyHash: string;
  /** Signature of the new key. */
  readonly possession: Uint8Array;
  /** Signature of the key that it replaces. */
  readonly consent: Uint8Array;
}

export interface ChainRecovery extends RecoveryPlace {
  readonly id: string;
  /** Ascending by validator id. */
  readonly members: readonly RecoveredMember[];
  /** The set that signs the cut after the place. */
  readonly set: ValidatorSet;
}

const VERSION = 1n;
const CHARACTERS_MAX = 2 << 20;
const HEIGHT_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const NAMES = [
  'recovery_version',
  'network',
  'chain_id',
  'height',
  'cut_id',
  'time_millis',
  'members',
];
const MEMBER_NAMES = ['validator_id', 'stake', 'consensus_public_key', 'possession', 'consent'];
const WORDS = 12;
const encoder = new TextEncoder();

/** The id commits to everything but the signatures. */
function recoveryId(place: RecoveryPlace, seats: readonly RecoveredSeat[]): Uint8Array {
  const { network, chainId, height, cutId, timeMillis } = place;
  const list = seats.map(({ validatorId, stake, publicKey }) => [
    validatorId,
    String(stake),
    toHex(publicKey),
  ]);
  const content = [network, chainId, String(height), cutId, String(timeMillis), list];
  return hashLabel(LABELS.recovery, encoder.encode(JSON.stringify(content)));
}

/** What both keys of a validator sign, under `svc/recovery/v1`: the id of a recovery with this member alone. */
function messageOf(place: RecoveryPlace, seat: RecoveredSeat): Uint8Array {
  return recoveryId(place, [seat]);
}

/** Signs for a seat with the secret halves of the new key and of the one that it replaces. */
export function signSeat(
  place: RecoveryPlace,
  seat: RecoveredSeat,
  secretKeys: { readonly next: Uint8Array; readonly before: Uint8Array },
): RecoveredMember {
  const message = messageOf(place, seat);
  const options = { context: contextBytes(CONTEXTS.recovery) };
  const { validatorId, stake, publicKey } = seat;
  return {
    ...{ validatorId, stake, publicKey },
    keyHash: toHex(keyHash(publicKey)),
    possession: mlDsa65.sign(secretKeys.next, message, options),
    consent: mlDsa65.sign(secretKeys.before, message, options),
  };
}

/** The id of a recovery, to be read aloud. */
export function recoveryWords({ id }: Pick<ChainRecovery, 'id'>): string {
  return wordsOf(fromHex(id), WORDS);
}

/** A recovery as the text that `parseRecovery` reads. Members are put in their order. */
export function formatRecovery(
  { network, chainId, height, cutId, timeMillis }: RecoveryPlace,
  members: readonly Omit<RecoveredMember, 'keyHash'>[],
): string {
  const ordered = members.toSorted((a, b) => (a.validatorId < b.validatorId ? -1 : 1));
  const document = {
    recovery_version: String(VERSION),
    network,
    chain_id: chainId,
    height: String(height),
    cut_id: cutId,
    time_millis: String(timeMillis),
    members: ordered.map((member) => ({
      validator_id: member.validatorId,
      stake: String(member.stake),
      consensus_public_key: toHex(member.publicKey),
      possession: toHex(member.possession),
      consent: toHex(member.consent),
    })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Reads a recovery and checks that every new key agreed; the keys before are checked by `expectRecoveryOf`. */
export function parseRecovery(text: string, path = 'recovery'): ChainRecovery {
  const fields = new Fields(parseJson(text, path, CHARACTERS_MAX), path, NAMES);
  fields.decimal('recovery_version', { min: VERSION, max: VERSION });
  const place: RecoveryPlace = {
    network: expectNetwork(fields.value('network'), fields.at('network')),
    chainId: toHex(fields.hex('chain_id', ID_BYTES)),
    height: Number(fields.decimal('height', { min: 1n, max: HEIGHT_MAX })),
    cutId: toHex(fields.hex('cut_id', ID_BYTES)),
    timeMillis: Number(fields.decimal('time_millis', { max: HEIGHT_MAX })),
  };
  const members = fields
    .array('members', VALIDATORS_MAX)
    .map((value, index) => parseMember(value, `${fields.at('members')}[${index}]`, place));
  const keys = new Set(members.map((member) => member.keyHash));
  const isDistinct = keys.size === members.length;
  expectThat(isDistinct, 'not_canonical', 'two members have one key', fields.at('members'));
  return {
    ...place,
    id: toHex(recoveryId(place, members)),
    members,
    set: setOf(members, fields.at('members')),
  };
}

function parseMember(value: Json, path: string, place: RecoveryPlace): RecoveredMember {
  const fields = new Fields(value, path, MEMBER_NAMES);
  const publicKey = fields.hex('consensus_public_key', PUBLIC_KEY_BYTES);
  const seat: RecoveredSeat = {
    validatorId: toHex(fields.hex('validator_id', ID_BYTES)),
    stake: fields.decimal('stake', { max: U64_MAX }),
    publicKey,
  };
  const possession = fields.hex('possession', SIGNATURE_BYTES);
  expectSigned(publicKey, messageOf(place, seat), possession, fields.at('possession'));
  const consent = fields.hex('consent', SIGNATURE_BYTES);
  return { ...seat, keyHash: toHex(keyHash(publicKey)), possession, consent };
}

function setOf(seats: readonly RecoveredSeat[], path: string): ValidatorSet {
  const validators = seats.map(({ validatorId, publicKey, stake }) => ({
    id: fromHex(validatorId),
    publicKey,
    stake,
  }));
  return decodeValidatorSet(encodeValidatorSet(validators, path), path);
}

function expectSigned(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
  path: string,
): void {
  const context = contextBytes(CONTEXTS.recovery);
  const isSigned = mlDsa65.verify(publicKey, message, signature, { context });
  expectThat(isSigned, 'bad_signature', 'the key did not sign what the recovery says', path);
}

/**
 * Refuses a recovery whose members are not some of the set that was to sign the next cut, with its stakes, by the consent
 * of its keys and with other keys than those of the set.
 */
export function expectRecoveryOf(recovery: ChainRecovery, before: ValidatorSet): void {
  const known = new Map(before.validators.map((validator) => [toHex(validator.id), validator]));
  for (const [index, member] of recovery.members.entries()) {
    const path = `recovery.members[${index}]`;
    const validator = known.get(member.validatorId);
    expectThat(validator !== undefined, 'not_trusted', 'it has no seat before', path);
    const hasStake = validator.stake === member.stake;
    expectThat(hasStake, 'not_trusted', `its stake is ${validator.stake}`, `${path}.stake`);
    const isFresh = before.validators.every(
      ({ publicKey }) => !equalBytes(publicKey, member.publicKey),
    );
    expectThat(isFresh, 'not_trusted', 'the key had a seat before', `${path}.consensus_public_key`);
    const message = messageOf(recovery, member);
    expectSigned(validator.publicKey, message, member.consent, `${path}.consent`);
  }
}

/**
 * Moves trust from the cut of a recovery, which is trusted already, to the set that it names. At the end of an epoch the
 * trusted set is not the one that was to sign next, so only nodes, which have the state, check consent there.
 */
export function advanceOverRecovery(
  trusted: TrustedSet,
  recovery: ChainRecovery,
  { isEpochEnd = false } = {},
): TrustedSet {
  const { set } = recovery;
  const isHere =
    recovery.network === trusted.network &&
    recovery.chainId === toHex(trusted.chainId) &&
    BigInt(recovery.height) === trusted.height &&
    BigInt(recovery.timeMillis) === trusted.time &&
    recovery.cutId === toHex(trusted.cutId);
  expectThat(
    isHere,
    'not_trusted',
    `the recovery names cut ${recovery.cutId} at height ${recovery.height}, trusted is cut ${toHex(trusted.cutId)} at height ${trusted.height}`,
    'recovery.cut_id',
  );
  if (!isEpochEnd) expectRecoveryOf(recovery, trusted.set);
  return { ...trusted, encodedSet: set.encoded, set };
}

/** The cut and set of a recovery as what a client trusts, without a check of the chain before. */
export function trustOfRecovery(recovery: ChainRecovery): TrustedSet {
  const { network, chainId, height, timeMillis, cutId, set } = recovery;
  return {
    network,
    chainId: fromHex(chainId),
    height: BigInt(height),
    time: BigInt(timeMillis),
    cutId: fromHex(cutId),
    encodedSet: set.encoded,
    set,
  };
}

/**
 * Encodings of the ledger alone, `docs/protocol.md` 9.4 to 9.6, for the conformance digests: values of positions and validators,
 * totals, and the genesis. None of them is ever read by the ledger, so the readers here follow the document.
 */
import type { Codec } from '../../../protocol/test/generate/codec.ts';
import type { Random } from '../../../protocol/test/generate/random.ts';
import { keyValue, positionValue, validatorValue } from '../../src/commitment/leaf-values.ts';
import { totalsBytes } from '../../src/commitment/totals.ts';
import { encodeGenesis } from '../../src/genesis/chain-id.ts';
import { formatGenesis, type Genesis, parseGenesis } from '../../src/genesis/document.ts';
import { bytesOf } from '../../src/identifiers.ts';
import { GENESIS_SUPPLY, LEDGER_PARAMETERS, SELF_BOND_MIN } from '../../src/parameters.ts';
import {
  concatBytes,
  type Label,
  NETWORKS,
  type Network,
  Reader,
  toHex,
} from '../../src/protocol.ts';
import type {
  EconomyRecord,
  EpochRecord,
  Pending,
  PoolRecord,
  PositionRecord,
  PublicKey,
  ValidatorRecord,
} from '../../src/records.ts';
import { payoutId } from '../../src/rules/outputs.ts';
import type { StateView } from '../../src/view.ts';

const PUBLIC_KEY_BYTES = 1_952;
const KINDS = ['self_bond', 'delegation'] as const;
const STATUSES = ['active', 'exited', 'removed'] as const;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const NETWORK_NAMES = Object.keys(NETWORKS) as Network[];

function anyId(random: Random): string {
  return toHex(random.bytes(48));
}

function anyAddress(random: Random): string {
  return toHex(Uint8Array.of(random.below(2), ...random.bytes(48)));
}

/** Heights, epochs and counts are safe integers. */
function anyNumber(random: Random): number {
  return random.chance(10) ? 0 : Number(random.u64() >> 11n);
}

function readId(reader: Reader): string {
  return toHex(reader.raw(48));
}

function readAddress(reader: Reader): string {
  return toHex(reader.raw(49));
}

function readNumber(reader: Reader): number {
  return Number(reader.u64());
}

function readList<T>(reader: Reader, read: () => T): T[] {
  return Array.from({ length: reader.varint() }, read);
}

function readOptional<T>(reader: Reader, read: () => T): T | null {
  return reader.u8() === 0 ? null : read();
}

function keyOf(publicKey: Uint8Array): PublicKey {
  return { publicKey, keyHash: '' };
}

/** Reads all of the bytes. */
function whole<T>(bytes: Uint8Array, read: (reader: Reader) => T): T {
  const reader = new Reader(bytes);
  const value = read(reader);
  reader.end();
  return value;
}

function anyPosition(random: Random): PositionRecord {
  return {
    kind: random.pick(KINDS),
    validatorId: anyId(random),
    ownerAddress: anyAddress(random),
    rewardAddress: anyAddress(random),
    bonded: random.amount(),
    unbonding: random.list(0, 16, () => ({
      amount: random.amount(),
      releaseHeight: anyNumber(random),
    })),
    stood: random.list(0, 2, () => ({ epoch: anyNumber(random), bonded: random.amount() })),
  };
}

function readPosition(reader: Reader): PositionRecord {
  return {
    kind: KINDS[reader.u8() - 1] as PositionRecord['kind'],
    validatorId: readId(reader),
    ownerAddress: readAddress(reader),
    rewardAddress: readAddress(reader),
    bonded: reader.u64(),
    unbonding: readList(reader, () => ({
      amount: reader.u64(),
      releaseHeight: readNumber(reader),
    })),
    stood: readList(reader, () => ({ epoch: readNumber(reader), bonded: reader.u64() })),
  };
}

function anyPending<T>(random: Random, value: () => T): Pending<T> | null {
  return random.chance(50) ? null : { epoch: anyNumber(random), value: value() };
}

function readPending<T>(reader: Reader, value: () => T): Pending<T> | null {
  return readOptional(reader, () => ({ epoch: readNumber(reader), value: value() }));
}

function anyValidator(random: Random): ValidatorRecord {
  const key = (): PublicKey => keyOf(random.bytes(PUBLIC_KEY_BYTES));
  const endpoint = (): Uint8Array => random.bytes(random.between(1, 300));
  const commission = (): number => 10 * random.between(0, 100);
  return {
    status: random.pick(STATUSES),
    ownerAddress: anyAddress(random),
    selfBondId: anyId(random),
    consensusKey: key(),
    pendingKey: anyPending(random, key),
    endpoint: endpoint(),
    pendingEndpoint: anyPending(random, endpoint),
    commissionBps: commission(),
    pendingCommission: anyPending(random, commission),
    stake: random.amount(),
    positionCount: anyNumber(random),
    registeredEpoch: anyNumber(random),
    eligibleFromEpoch: anyNumber(random),
    heartbeatEpoch: random.chance(30) ? null : anyNumber(random),
    jailedUntilEpoch: anyNumber(random),
    endHeight: anyNumber(random),
    removedHeight: anyNumber(random),
    removalBurned: random.amount(),
    slashableBonded: random.amount(),
    slashableUnbonding: random.amount(),
  };
}

function readValidator(reader: Reader): ValidatorRecord {
  const key = (): PublicKey => keyOf(reader.raw(PUBLIC_KEY_BYTES));
  const endpoint = (): Uint8Array => reader.counted(1_024);
  return {
    status: STATUSES[reader.u8() - 1] as ValidatorRecord['status'],
    ownerAddress: readAddress(reader),
    selfBondId: readId(reader),
    consensusKey: key(),
    pendingKey: readPending(reader, key),
    endpoint: endpoint(),
    pendingEndpoint: readPending(reader, endpoint),
    commissionBps: reader.u16(),
    pendingCommission: readPending(reader, () => reader.u16()),
    stake: reader.u64(),
    positionCount: readNumber(reader),
    registeredEpoch: readNumber(reader),
    eligibleFromEpoch: readNumber(reader),
    heartbeatEpoch: readOptional(reader, () => readNumber(reader)),
    jailedUntilEpoch: readNumber(reader),
    endHeight: readNumber(reader),
    removedHeight: readNumber(reader),
    removalBurned: reader.u64(),
    slashableBonded: reader.u64(),
    slashableUnbonding: reader.u64(),
  };
}

interface Totals {
  readonly economy: EconomyRecord;
  readonly epoch: EpochRecord;
  readonly pool: PoolRecord | undefined;
}

function encodeTotals({ economy, epoch, pool }: Totals): Uint8Array {
  const view = { get: () => pool } as unknown as StateView;
  return totalsBytes(view, economy, epoch);
}

function anyTotals(random: Random): Totals {
  const pool = random.chance(30) ? undefined : anyPool(random);
  return {
    economy: anyEconomy(random, pool === undefined ? null : anyNumber(random)),
    epoch: {
      epoch: anyNumber(random),
      validatorSetId: anyId(random),
      members: random.list(0, 5, () => ({
        ...{ validatorId: '', publicKey: new Uint8Array(0), stake: 0n },
        selfBondId: anyId(random),
        commissionBps: random.between(0, 1_000),
        sharesPool: random.chance(50),
      })),
      attendance: [],
    },
    pool,
  };
}

function anyEconomy(random: Random, openPool: number | null): EconomyRecord {
  return {
    height: anyNumber(random),
    minted: random.amount(),
    burned: random.amount(),
    outputs: random.amount(),
    bonded: random.amount(),
    unbonding: random.amount(),
    slashed: random.amount(),
    workReserve: random.amount(),
    stakeReserve: random.amount(),
    emission: {
      remaining: random.amount(),
      carry: random.amount(999n),
      intervalAmount: random.amount(),
    },
    workCarry: random.amount(),
    stakePool: random.amount(),
    openPool,
    workTarget: BigInt(`0x${toHex(random.bytes(32))}`),
    paceMillis: random.u32(),
    paceBaseMillis: anyNumber(random),
    timeMillis: 0,
  };
}

function anyPool(random: Random): PoolRecord {
  return {
    amount: random.amount(),
    paid: random.amount(),
    commission: random.amount(),
    memberIndex: random.below(65),
    afterPositionId: random.chance(50) ? null : anyId(random),
    members: random.list(0, 5, () => ({
      validatorId: anyId(random),
      selfBondId: anyId(random),
      stake: random.amount(),
      commissionBps: random.between(0, 1_000),
      earned: random.chance(50),
    })),
  };
}

function readTotals(reader: Reader): Totals {
  const economy = readEconomy(reader);
  const epoch = {
    epoch: readNumber(reader),
    validatorSetId: readId(reader),
    members: readList(reader, () => ({
      ...{ validatorId: '', publicKey: new Uint8Array(0), stake: 0n },
      selfBondId: readId(reader),
      commissionBps: reader.u16(),
      sharesPool: reader.u8() === 1,
    })),
    attendance: [],
  };
  const openPool = readOptional(reader, () => readNumber(reader));
  const pool = openPool === null ? undefined : readPool(reader);
  return { economy: { ...economy, openPool }, epoch, pool };
}

function readEconomy(reader: Reader): EconomyRecord {
  return {
    height: readNumber(reader),
    minted: reader.u64(),
    burned: reader.u64(),
    outputs: reader.u64(),
    bonded: reader.u64(),
    unbonding: reader.u64(),
    slashed: reader.u64(),
    workReserve: reader.u64(),
    stakeReserve: reader.u64(),
    emission: { remaining: reader.u64(), carry: reader.u64(), intervalAmount: reader.u64() },
    workCarry: reader.u64(),
    stakePool: reader.u64(),
    openPool: null,
    workTarget: BigInt(`0x${toHex(reader.raw(32))}`),
    paceMillis: reader.u32(),
    paceBaseMillis: readNumber(reader),
    timeMillis: 0,
  };
}

function readPool(reader: Reader): PoolRecord {
  return {
    amount: reader.u64(),
    paid: reader.u64(),
    commission: reader.u64(),
    memberIndex: reader.u16(),
    afterPositionId: readOptional(reader, () => readId(reader)),
    members: readList(reader, () => ({
      validatorId: readId(reader),
      selfBondId: readId(reader),
      stake: reader.u64(),
      commissionBps: reader.u16(),
      earned: reader.u8() === 1,
    })),
  };
}

function anyGenesis(random: Random): Genesis {
  const network = random.pick(NETWORK_NAMES);
  const { workTargetMin, workTargetMax } = LEDGER_PARAMETERS[network];
  const outputs = random.list(0, 3, () => ({
    address: anyAddress(random),
    amount: random.amount(),
  }));
  const validators = random.list(1, 3, () => ({
    ownerAddress: anyAddress(random),
    rewardAddress: anyAddress(random),
    amount: SELF_BOND_MIN + random.amount(),
    commissionBps: 10 * random.between(0, 100),
    consensusPublicKey: random.bytes(PUBLIC_KEY_BYTES),
    endpoint: random.bytes(random.between(1, 300)),
  }));
  const given = [...outputs, ...validators].reduce((sum, { amount }) => sum + amount, 0n);
  return {
    network,
    timeMillis: Number(random.u64() % 253_402_300_799_999n),
    paceMillis: random.between(50, 60_000),
    workTarget: random.pick([workTargetMin, workTargetMax, workTargetMin + random.u64()]),
    outputs: [...outputs, { address: anyAddress(random), amount: GENESIS_SUPPLY - given }],
    validators,
  };
}

function readGenesis(reader: Reader): Genesis {
  reader.u32();
  const code = reader.u8();
  return {
    network: NETWORK_NAMES.find((name) => NETWORKS[name].code === code) as Network,
    timeMillis: readNumber(reader),
    paceMillis: reader.u32(),
    workTarget: BigInt(`0x${toHex(reader.raw(32))}`),
    outputs: readList(reader, () => ({ address: readAddress(reader), amount: reader.u64() })),
    validators: readList(reader, () => ({
      ownerAddress: readAddress(reader),
      rewardAddress: readAddress(reader),
      amount: reader.u64(),
      commissionBps: reader.u16(),
      consensusPublicKey: reader.raw(PUBLIC_KEY_BYTES),
      endpoint: reader.counted(1_024),
    })),
  };
}

/** What the id of a payout is the hash of. */
function encodePayout(chainId: string, height: number, kind: number, index: number): Uint8Array {
  const hash = (_: Label, ...parts: readonly Uint8Array[]): Uint8Array => concatBytes(...parts);
  return bytesOf(payoutId({ chainId, hash }, height, kind, index));
}

export const STATE_CODECS: readonly Codec[] = [
  {
    name: 'position',
    generate: (random) => positionValue(anyPosition(random)),
    again: (bytes) => positionValue(whole(bytes, readPosition)),
  },
  {
    name: 'validator',
    generate: (random) => validatorValue(anyValidator(random)),
    again: (bytes) => validatorValue(whole(bytes, readValidator)),
  },
  {
    name: 'registered_key',
    generate: (random) => keyValue({ publicKey: random.bytes(PUBLIC_KEY_BYTES) }),
    again: (publicKey) => keyValue({ publicKey }),
  },
  {
    name: 'totals',
    generate: (random) => encodeTotals(anyTotals(random)),
    again: (bytes) => encodeTotals(whole(bytes, readTotals)),
  },
  {
    name: 'payout_id',
    generate: (random) =>
      encodePayout(anyId(random), anyNumber(random), random.below(4), random.u32()),
    again: (bytes) =>
      whole(bytes, (reader) =>
        encodePayout(readId(reader), readNumber(reader), reader.u8(), reader.u32()),
      ),
  },
  {
    name: 'genesis',
    generate: (random) => encodeGenesis(anyGenesis(random)),
    again: (bytes) => encodeGenesis(whole(bytes, readGenesis)),
  },
  {
    name: 'genesis_document',
    generate: (random) => encoder.encode(formatGenesis(anyGenesis(random))),
    again: (bytes) => encoder.encode(formatGenesis(parseGenesis(decoder.decode(bytes)))),
  },
];

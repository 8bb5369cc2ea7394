/**
 * Encodings of the state's records about stake: positions, validators, pools, the epoch.
 */
import type {
  Attendance,
  CommitteeMember,
  EpochRecord,
  Pending,
  PoolMember,
  PoolRecord,
  PositionRecord,
  PublicKey,
  ReleaseRecord,
  ValidatorRecord,
} from 'svc-ledger';
import type { Codec } from './codec.ts';
import { POSITION_KINDS, VALIDATOR_STATUSES } from './names.ts';
import type { Packer } from './packer.ts';
import { ADDRESS_BYTES, ID_BYTES } from './sizes.ts';
import type { Unpacker } from './unpacker.ts';

export const positionCodec: Codec<PositionRecord> = {
  pack(packer, position) {
    packer
      .u8(POSITION_KINDS.indexOf(position.kind))
      .hex(position.validatorId)
      .hex(position.ownerAddress)
      .hex(position.rewardAddress)
      .u64(position.bonded)
      .varint(position.unbonding.length);
    for (const { amount, releaseHeight } of position.unbonding) {
      packer.u64(amount).number(releaseHeight);
    }
    packer.varint(position.stood.length);
    for (const { epoch, bonded } of position.stood) packer.number(epoch).u64(bonded);
  },
  unpack: (unpacker) => ({
    kind: unpacker.name(POSITION_KINDS),
    validatorId: unpacker.hex(ID_BYTES),
    ownerAddress: unpacker.hex(ADDRESS_BYTES),
    rewardAddress: unpacker.hex(ADDRESS_BYTES),
    bonded: unpacker.u64(),
    unbonding: unpacker.list(() => ({ amount: unpacker.u64(), releaseHeight: unpacker.number() })),
    stood: unpacker.list(() => ({ epoch: unpacker.number(), bonded: unpacker.u64() })),
  }),
};

function packKey(packer: Packer, { publicKey, keyHash }: PublicKey): void {
  packer.counted(publicKey).hex(keyHash);
}

function unpackKey(unpacker: Unpacker): PublicKey {
  return { publicKey: unpacker.counted(), keyHash: unpacker.hex(ID_BYTES) };
}

function packPending<T>(
  packer: Packer,
  pending: Pending<T> | null,
  pack: (value: T) => void,
): void {
  packer.flag(pending !== null);
  if (pending === null) return;
  packer.number(pending.epoch);
  pack(pending.value);
}

function unpackPending<T>(unpacker: Unpacker, unpack: () => T): Pending<T> | null {
  if (!unpacker.flag()) return null;
  const epoch = unpacker.number();
  return { value: unpack(), epoch };
}

function packOptional(packer: Packer, value: number | null): void {
  packer.flag(value !== null);
  if (value !== null) packer.number(value);
}

function unpackOptional(unpacker: Unpacker): number | null {
  return unpacker.flag() ? unpacker.number() : null;
}

export const validatorCodec: Codec<ValidatorRecord> = {
  pack(packer, validator) {
    packer
      .u8(VALIDATOR_STATUSES.indexOf(validator.status))
      .hex(validator.ownerAddress)
      .hex(validator.selfBondId);
    packKey(packer, validator.consensusKey);
    packPending(packer, validator.pendingKey, (key) => packKey(packer, key));
    packer.counted(validator.endpoint);
    packPending(packer, validator.pendingEndpoint, (endpoint) => packer.counted(endpoint));
    packer.u16(validator.commissionBps);
    packPending(packer, validator.pendingCommission, (bps) => packer.u16(bps));
    packer
      .u64(validator.stake)
      .number(validator.positionCount)
      .number(validator.registeredEpoch)
      .number(validator.eligibleFromEpoch);
    packOptional(packer, validator.heartbeatEpoch);
    packer
      .number(validator.jailedUntilEpoch)
      .number(validator.endHeight)
      .number(validator.removedHeight)
      .u64(validator.removalBurned)
      .u64(validator.slashableBonded)
      .u64(validator.slashableUnbonding);
  },
  unpack: (unpacker) => ({
    status: unpacker.name(VALIDATOR_STATUSES),
    ownerAddress: unpacker.hex(ADDRESS_BYTES),
    selfBondId: unpacker.hex(ID_BYTES),
    consensusKey: unpackKey(unpacker),
    pendingKey: unpackPending(unpacker, () => unpackKey(unpacker)),
    endpoint: unpacker.counted(),
    pendingEndpoint: unpackPending(unpacker, () => unpacker.counted()),
    commissionBps: unpacker.u16(),
    pendingCommission: unpackPending(unpacker, () => unpacker.u16()),
    stake: unpacker.u64(),
    positionCount: unpacker.number(),
    registeredEpoch: unpacker.number(),
    eligibleFromEpoch: unpacker.number(),
    heartbeatEpoch: unpackOptional(unpacker),
    jailedUntilEpoch: unpacker.number(),
    endHeight: unpacker.number(),
    removedHeight: unpacker.number(),
    removalBurned: unpacker.u64(),
    slashableBonded: unpacker.u64(),
    slashableUnbonding: unpacker.u64(),
  }),
};

export const releaseCodec: Codec<ReleaseRecord> = {
  pack(packer, { slashable }) {
    packer.varint(slashable.length);
    for (const { validatorId, amount } of slashable) packer.hex(validatorId).u64(amount);
  },
  unpack: (unpacker) => ({
    slashable: unpacker.list(() => ({
      validatorId: unpacker.hex(ID_BYTES),
      amount: unpacker.u64(),
    })),
  }),
};

function packPoolMember(packer: Packer, member: PoolMember): void {
  packer
    .hex(member.validatorId)
    .hex(member.selfBondId)
    .u64(member.stake)
    .u16(member.commissionBps)
    .flag(member.earned);
}

function unpackPoolMember(unpacker: Unpacker): PoolMember {
  return {
    validatorId: unpacker.hex(ID_BYTES),
    selfBondId: unpacker.hex(ID_BYTES),
    stake: unpacker.u64(),
    commissionBps: unpacker.u16(),
    earned: unpacker.flag(),
  };
}

export const poolCodec: Codec<PoolRecord> = {
  pack(packer, pool) {
    packer.u64(pool.amount).varint(pool.members.length);
    for (const member of pool.members) packPoolMember(packer, member);
    packer
      .u64(pool.paid)
      .u16(pool.memberIndex)
      .flag(pool.afterPositionId !== null);
    if (pool.afterPositionId !== null) packer.hex(pool.afterPositionId);
    packer.u64(pool.commission);
  },
  unpack: (unpacker) => ({
    amount: unpacker.u64(),
    members: unpacker.list(() => unpackPoolMember(unpacker)),
    paid: unpacker.u64(),
    memberIndex: unpacker.u16(),
    afterPositionId: unpacker.flag() ? unpacker.hex(ID_BYTES) : null,
    commission: unpacker.u64(),
  }),
};

function packCommitteeMember(packer: Packer, member: CommitteeMember): void {
  packer
    .hex(member.validatorId)
    .counted(member.publicKey)
    .u64(member.stake)
    .u16(member.commissionBps)
    .hex(member.selfBondId)
    .flag(member.sharesPool);
}

function unpackCommitteeMember(unpacker: Unpacker): CommitteeMember {
  return {
    validatorId: unpacker.hex(ID_BYTES),
    publicKey: unpacker.counted(),
    stake: unpacker.u64(),
    commissionBps: unpacker.u16(),
    selfBondId: unpacker.hex(ID_BYTES),
    sharesPool: unpacker.flag(),
  };
}

function unpackAttendance(unpacker: Unpacker): Attendance {
  return { signatures: unpacker.u32(), windows: unpacker.u16() };
}

export const epochCodec: Codec<EpochRecord> = {
  pack(packer, epoch) {
    packer.number(epoch.epoch).hex(epoch.validatorSetId).varint(epoch.members.length);
    for (const member of epoch.members) packCommitteeMember(packer, member);
    packer.varint(epoch.attendance.length);
    for (const { signatures, windows } of epoch.attendance) packer.u32(signatures).u16(windows);
  },
  unpack: (unpacker) => ({
    epoch: unpacker.number(),
    validatorSetId: unpacker.hex(ID_BYTES),
    members: unpacker.list(() => unpackCommitteeMember(unpacker)),
    attendance: unpacker.list(() => unpackAttendance(unpacker)),
  }),
};

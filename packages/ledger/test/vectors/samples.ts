/**
 * Records that fill every field of the ledger's encodings at least once.
 */

import type {
  EconomyRecord,
  EpochRecord,
  PoolRecord,
  PositionRecord,
  PublicKey,
  ValidatorRecord,
} from '../../src/records.ts';
import { NEVER_PRESENT } from '../../src/rules/attendance.ts';
import { idOf } from '../testing/reference-hash.ts';
import { addressOf } from '../testing/test-chain.ts';

function key(fill: number): PublicKey {
  return { publicKey: new Uint8Array(1_952).fill(fill), keyHash: idOf(`key ${fill}`) };
}

const DELEGATION: PositionRecord = {
  kind: 'delegation',
  validatorId: idOf('validator'),
  ownerAddress: addressOf('delegator'),
  rewardAddress: addressOf('rewards'),
  bonded: 0n,
  unbonding: [
    { amount: 5n, releaseHeight: 400_000 },
    { amount: 7_000_000_000n, releaseHeight: 400_001 },
  ],
  stood: [{ epoch: 11, bonded: 7_000_000_005n }],
};

export const POSITIONS: readonly PositionRecord[] = [
  {
    ...DELEGATION,
    kind: 'self_bond',
    bonded: 10_000_000_000_000n,
    unbonding: [],
    stood: [],
  },
  DELEGATION,
];

const PLAIN_VALIDATOR: ValidatorRecord = {
  status: 'active',
  ownerAddress: addressOf('owner'),
  selfBondId: idOf('self-bond'),
  consensusKey: key(1),
  pendingKey: null,
  endpoint: Uint8Array.of(1, 2, 3),
  pendingEndpoint: null,
  commissionBps: 500,
  pendingCommission: null,
  stake: 10_000_000_000_000n,
  positionCount: 1,
  registeredEpoch: 0,
  eligibleFromEpoch: 0,
  heartbeatEpoch: null,
  jailedUntilEpoch: 0,
  endHeight: 0,
  removedHeight: 0,
  removalBurned: 0n,
  slashableBonded: 0n,
  slashableUnbonding: 0n,
};

export const VALIDATORS: readonly ValidatorRecord[] = [
  PLAIN_VALIDATOR,
  {
    ...PLAIN_VALIDATOR,
    status: 'exited',
    pendingKey: { value: key(2), epoch: 20 },
    pendingEndpoint: { value: new Uint8Array(200).fill(9), epoch: 21 },
    pendingCommission: { value: 1_000, epoch: 34 },
    stake: 0n,
    positionCount: 300,
    registeredEpoch: 3,
    eligibleFromEpoch: 5,
    heartbeatEpoch: 18,
    jailedUntilEpoch: 19,
    endHeight: 700_000,
    slashableBonded: 3_000_000_000_001n,
    slashableUnbonding: 29n,
  },
  {
    ...PLAIN_VALIDATOR,
    status: 'removed',
    stake: 0n,
    positionCount: 0,
    endHeight: 5,
    removedHeight: 6,
    removalBurned: 10_000_000_000_003n,
  },
];

const POOL_MEMBER = {
  validatorId: idOf('validator'),
  selfBondId: idOf('self-bond'),
  stake: 10_000_000_000_000n,
  commissionBps: 500,
  earned: true,
};

export const POOLS: readonly (readonly [number, PoolRecord])[] = [
  [
    11,
    {
      amount: 1_000_000n,
      paid: 400_000n,
      commission: 1_234n,
      memberIndex: 1,
      afterPositionId: idOf('position'),
      members: [POOL_MEMBER, { ...POOL_MEMBER, validatorId: idOf('other'), earned: false }],
    },
  ],
  [
    12,
    {
      amount: 5n,
      paid: 0n,
      commission: 0n,
      memberIndex: 0,
      afterPositionId: null,
      members: [],
    },
  ],
];

const EPOCH: EpochRecord = {
  epoch: 13,
  validatorSetId: idOf('set'),
  members: [
    {
      validatorId: idOf('validator'),
      publicKey: key(1).publicKey,
      stake: 10_000_000_000_000n,
      commissionBps: 500,
      selfBondId: idOf('self-bond'),
      sharesPool: true,
    },
    {
      validatorId: idOf('other'),
      publicKey: key(3).publicKey,
      stake: 1n,
      commissionBps: 0,
      selfBondId: idOf('other self-bond'),
      sharesPool: false,
    },
  ],
  attendance: [NEVER_PRESENT, NEVER_PRESENT],
};

const ECONOMY: EconomyRecord = {
  height: 460_000,
  minted: 2_100_000_000_000_000n,
  burned: 1n,
  outputs: 1_900_000_000_000_000n,
  bonded: 150_000_000_000_000n,
  unbonding: 2n,
  slashed: 1n,
  workReserve: 30_000_000_000_000n,
  stakeReserve: 19_999_999_999_997n,
  emission: {
    remaining: 17_000_000_000_000_000n,
    carry: 999n,
    intervalAmount: 54_000_000_000_000n,
  },
  workCarry: 3n,
  stakePool: 4n,
  openPool: 11,
  workTarget: 1n << 200n,
  paceMillis: 2_500,
  paceBaseMillis: 1_700_000_000_000,
  timeMillis: 1_701_000_000_000,
};

/** With a pool half paid, with one of which nothing is paid, and with none. */
export function economies(): { readonly economy: EconomyRecord; readonly epoch: EpochRecord }[] {
  return [
    { economy: ECONOMY, epoch: EPOCH },
    { economy: { ...ECONOMY, openPool: 12 }, epoch: EPOCH },
    { economy: { ...ECONOMY, openPool: null }, epoch: { ...EPOCH, members: [], attendance: [] } },
  ];
}

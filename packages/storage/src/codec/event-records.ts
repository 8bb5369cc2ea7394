/**
 * Encoding of what a cut did beside transactions and outputs, for event streams and block documents.
 */
import type { BlockReward, Burn, KeyRegistration, StakePayout, ValidatorEvent } from 'svc-ledger';
import type { Codec } from './codec.ts';
import { packReward, unpackReward } from './index-records.ts';
import { POSITION_KINDS } from './names.ts';
import type { Packer } from './packer.ts';
import { ADDRESS_BYTES, ID_BYTES } from './sizes.ts';
import type { Unpacker } from './unpacker.ts';

export interface CutSummary {
  /** Blocks that the cut registered and executed. */
  readonly registeredWork: number;
  readonly executedWork: number;
  readonly transactions: number;
  readonly changes: number;
  readonly rewards: readonly BlockReward[];
  readonly stakePayouts: readonly StakePayout[];
  readonly burns: readonly Burn[];
  readonly keys: readonly KeyRegistration[];
  readonly validators: readonly ValidatorEvent[];
}

const BURN_CAUSES = ['output', 'equivocation'] as const;
const VALIDATOR_EVENTS = ['registered', 'exited', 'removed', 'jailed'] as const;

function packBlockReward(packer: Packer, reward: BlockReward): void {
  packer.hex(reward.blockId).number(reward.anchorHeight).hex(reward.payoutAddress);
  packReward(packer, reward);
}

function unpackBlockReward(unpacker: Unpacker): BlockReward {
  return {
    blockId: unpacker.hex(ID_BYTES),
    anchorHeight: unpacker.number(),
    payoutAddress: unpacker.hex(ADDRESS_BYTES),
    ...unpackReward(unpacker),
  };
}

function packPayout(packer: Packer, payout: StakePayout): void {
  packer
    .hex(payout.positionId)
    .u8(POSITION_KINDS.indexOf(payout.positionKind))
    .hex(payout.validatorId)
    .number(payout.epoch)
    .hex(payout.address)
    .u64(payout.amount)
    .hex(payout.outpoint.transactionId)
    .u32(payout.outpoint.outputIndex);
}

function unpackPayout(unpacker: Unpacker): StakePayout {
  return {
    positionId: unpacker.hex(ID_BYTES),
    positionKind: unpacker.name(POSITION_KINDS),
    validatorId: unpacker.hex(ID_BYTES),
    epoch: unpacker.number(),
    address: unpacker.hex(ADDRESS_BYTES),
    amount: unpacker.u64(),
    outpoint: { transactionId: unpacker.hex(ID_BYTES), outputIndex: unpacker.u32() },
  };
}

function packBurn(packer: Packer, burn: Burn): void {
  const id = burn.cause === 'output' ? burn.transactionId : burn.validatorId;
  packer.u8(BURN_CAUSES.indexOf(burn.cause)).hex(id).u64(burn.amount);
}

function unpackBurn(unpacker: Unpacker): Burn {
  const cause = unpacker.name(BURN_CAUSES);
  const id = unpacker.hex(ID_BYTES);
  const amount = unpacker.u64();
  return cause === 'output'
    ? { cause, transactionId: id, amount }
    : { cause, validatorId: id, amount };
}

function packValidatorEvent(packer: Packer, event: ValidatorEvent): void {
  packer.u8(VALIDATOR_EVENTS.indexOf(event.type)).hex(event.validatorId);
  if (event.type === 'jailed') packer.number(event.untilEpoch);
}

function unpackValidatorEvent(unpacker: Unpacker): ValidatorEvent {
  const type = unpacker.name(VALIDATOR_EVENTS);
  const validatorId = unpacker.hex(ID_BYTES);
  return type === 'jailed'
    ? { type, validatorId, untilEpoch: unpacker.number() }
    : { type, validatorId };
}

function packList<T>(
  packer: Packer,
  items: readonly T[],
  pack: (p: Packer, item: T) => void,
): void {
  packer.varint(items.length);
  for (const item of items) pack(packer, item);
}

export const summaryCodec: Codec<CutSummary> = {
  pack(packer, summary) {
    packer
      .u32(summary.registeredWork)
      .u32(summary.executedWork)
      .u32(summary.transactions)
      .u32(summary.changes);
    packList(packer, summary.rewards, packBlockReward);
    packList(packer, summary.stakePayouts, packPayout);
    packList(packer, summary.burns, packBurn);
    packList(packer, summary.keys, (p, { keyHash, transactionId }) => {
      p.hex(keyHash).hex(transactionId);
    });
    packList(packer, summary.validators, packValidatorEvent);
  },
  unpack: (unpacker) => ({
    registeredWork: unpacker.u32(),
    executedWork: unpacker.u32(),
    transactions: unpacker.u32(),
    changes: unpacker.u32(),
    rewards: unpacker.list(() => unpackBlockReward(unpacker)),
    stakePayouts: unpacker.list(() => unpackPayout(unpacker)),
    burns: unpacker.list(() => unpackBurn(unpacker)),
    keys: unpacker.list(() => ({
      keyHash: unpacker.hex(ID_BYTES),
      transactionId: unpacker.hex(ID_BYTES),
    })),
    validators: unpacker.list(() => unpackValidatorEvent(unpacker)),
  }),
};

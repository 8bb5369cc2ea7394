/**
 * The totals root: the economic totals, the committee and the open stake pool in one hash. The time
 * and attendance of the running epoch are left out; headers have them.
 */

import { present } from '../assertion.ts';
import type { Hash } from '../context.ts';
import { bytesOf, type Identifier, numberKey } from '../identifiers.ts';
import { LABELS, Writer } from '../protocol.ts';
import type { EconomyRecord, EpochRecord, PoolRecord } from '../records.ts';
import type { StateView } from '../view.ts';

export function totalsRoot(
  hash: Hash,
  view: StateView,
  economy: EconomyRecord,
  epoch: EpochRecord,
): Uint8Array {
  return hash(LABELS.totals, totalsBytes(view, economy, epoch));
}

/** What the totals root is the hash of. */
export function totalsBytes(
  view: StateView,
  economy: EconomyRecord,
  epoch: EpochRecord,
): Uint8Array {
  const writer = new Writer(1_024);
  writeEconomy(writer, economy);
  writeCommittee(writer, epoch);
  const { openPool } = economy;
  writer.u8(openPool === null ? 0 : 1);
  if (openPool !== null) {
    const pool = present(view.get('pools', numberKey(openPool)), `pool ${openPool}`);
    writePool(writer.u64(BigInt(openPool)), pool);
  }
  return writer.finish();
}

function writeEconomy(writer: Writer, economy: EconomyRecord): void {
  writer
    .u64(BigInt(economy.height))
    .u64(economy.minted)
    .u64(economy.burned)
    .u64(economy.outputs)
    .u64(economy.bonded)
    .u64(economy.unbonding)
    .u64(economy.slashed)
    .u64(economy.workReserve)
    .u64(economy.stakeReserve)
    .u64(economy.emission.remaining)
    .u64(economy.emission.carry)
    .u64(economy.emission.intervalAmount)
    .u64(economy.workCarry)
    .u64(economy.stakePool)
    .raw(targetBytes(economy.workTarget))
    .u32(economy.paceMillis)
    .u64(BigInt(economy.paceBaseMillis));
}

function writeCommittee(writer: Writer, { epoch, validatorSetId, members }: EpochRecord): void {
  writer.u64(BigInt(epoch)).raw(bytesOf(validatorSetId)).varint(members.length);
  for (const { selfBondId, commissionBps, sharesPool } of members) {
    writer
      .raw(bytesOf(selfBondId))
      .u16(commissionBps)
      .u8(sharesPool ? 1 : 0);
  }
}

function writePool(writer: Writer, pool: PoolRecord): void {
  writer.u64(pool.amount).u64(pool.paid).u64(pool.commission).u16(pool.memberIndex);
  writeOptionalId(writer, pool.afterPositionId);
  writer.varint(pool.members.length);
  for (const { validatorId, selfBondId, stake, commissionBps, earned } of pool.members) {
    writer
      .raw(bytesOf(validatorId))
      .raw(bytesOf(selfBondId))
      .u64(stake)
      .u16(commissionBps)
      .u8(earned ? 1 : 0);
  }
}

function writeOptionalId(writer: Writer, id: Identifier | null): void {
  if (id === null) writer.u8(0);
  else writer.u8(1).raw(bytesOf(id));
}

/** A work target as 32 big-endian bytes. */
export function targetBytes(target: bigint): Uint8Array {
  return bytesOf(target.toString(16).padStart(64, '0'));
}

/**
 * The chain id: the hash of a genesis document in its one binary form.
 */
import { targetBytes } from '../commitment/totals.ts';
import type { Hash } from '../context.ts';
import { bytesOf, type Identifier } from '../identifiers.ts';
import { LABELS, NETWORKS, toHex, Writer } from '../protocol.ts';
import { GENESIS_VERSION, type Genesis } from './document.ts';

export function encodeGenesis(genesis: Genesis): Uint8Array {
  const writer = new Writer(4_096)
    .u32(GENESIS_VERSION)
    .u8(NETWORKS[genesis.network].code)
    .u64(BigInt(genesis.timeMillis))
    .u32(genesis.paceMillis)
    .raw(targetBytes(genesis.workTarget))
    .varint(genesis.outputs.length);
  for (const { address, amount } of genesis.outputs) writer.raw(bytesOf(address)).u64(amount);
  writer.varint(genesis.validators.length);
  for (const validator of genesis.validators) {
    writer
      .raw(bytesOf(validator.ownerAddress))
      .raw(bytesOf(validator.rewardAddress))
      .u64(validator.amount)
      .u16(validator.commissionBps)
      .raw(validator.consensusPublicKey)
      .counted(validator.endpoint);
  }
  return writer.finish();
}

export function chainIdOf(hash: Hash, genesis: Genesis): Identifier {
  return toHex(hash(LABELS.genesis, encodeGenesis(genesis)));
}

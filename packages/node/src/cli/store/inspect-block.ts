/**
 * One work block of a store, by id.
 */
import type { ChainReader, WorkRecord } from 'svc-storage';
import { encodeAddress, fromHex, toHex } from 'svc-wasm/base';
import { decodeWorkBlock, minerTag } from 'svc-wasm/protocol';
import { isIdentifier } from './identifier.ts';
import type { ChainPlace } from './open-store.ts';

export async function inspectBlock(
  reader: ChainReader,
  id: string,
  place: ChainPlace,
): Promise<object | undefined> {
  if (!isIdentifier(id)) return undefined;
  const work = await reader.work(id);
  const bytes = await bytesOf(reader, id, place);
  if (work === undefined && bytes === undefined) return undefined;
  return { block_id: id, ...(work === undefined ? {} : workOf(work, place)), ...bytes };
}

function workOf({ registeredHeight, payoutAddress, reward }: WorkRecord, place: ChainPlace) {
  return {
    registered_cut: registeredHeight,
    executed_cut: registeredHeight + 1,
    payout_address: encodeAddress(fromHex(payoutAddress), place.config.network),
    reward:
      reward === null
        ? null
        : {
            share: reward.share,
            fees: reward.fees,
            amount: reward.amount,
            outpoint: reward.outpoint,
            output_amount: reward.outputAmount,
          },
  };
}

async function bytesOf(reader: ChainReader, id: string, { manifest, config }: ChainPlace) {
  const headerBytes = await reader.blockHeader(id);
  const bodyBytes = await reader.blockBody(id);
  if (headerBytes === undefined || bodyBytes === undefined) return undefined;
  const { header, body } = decodeWorkBlock(headerBytes, bodyBytes, manifest);
  return {
    anchor_height: Number(header.anchorHeight),
    anchor_cut_id: toHex(header.anchorCutId),
    registration_window_end: Number(header.registrationWindowEnd),
    payout_address: encodeAddress(body.payout, config.network),
    miner_tag: minerTag(header.extranonce),
    parents: body.parents.map((parent) => toHex(parent)),
    transactions: body.transactions.map((transaction) => toHex(transaction.id)),
    body_bytes: bodyBytes.length,
  };
}

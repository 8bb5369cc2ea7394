/** `GET /v1/blocks/{id}`: registered blocks from the store, others from the pool. */
import type { Block, ROUTES } from 'svc-api';
import { registrationWindowEnd } from 'svc-ledger';
import type { ChainReader } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { decodeWorkBlock, minerTag } from 'svc-wasm/protocol';
import { referenceAt } from '../../documents/cut-documents.ts';
import { type RewardFacts, rewardDocument } from '../../documents/reward-document.ts';
import { Refused } from '../../refusal/refused.ts';
import type { Handler, RoutePorts } from './handler.ts';

export const block: Handler<typeof ROUTES.block> = (ports, { params: { id } }) =>
  ports.readers.read(async ({ reader, height }) => {
    const work = await reader.work(id);
    const bytes = await bytesOf(ports, reader, id, work !== undefined);
    const { header, body } = decodeWorkBlock(
      bytes.header,
      bytes.body,
      ports.services.chain.manifest,
    );
    const registeredHeight = work?.registeredHeight ?? null;
    const anchorHeight = Number(header.anchorHeight);
    const facts: RewardFacts = { anchorHeight, registeredHeight, reward: work?.reward ?? null };
    const document: Block = {
      api_version: 1,
      finalized_height: height,
      block_id: id,
      anchor_height: anchorHeight,
      anchor_cut_id: toHex(header.anchorCutId),
      registration_window_end: registrationWindowEnd(anchorHeight),
      parents: body.parents.map((parent) => toHex(parent)),
      payout_address: ports.addresses.text(toHex(body.payout)),
      miner_tag: minerTag(header.extranonce),
      transactions: body.transactions.map((transaction) => toHex(transaction.id)),
      body_bytes: bytes.body.length,
      registered_cut:
        registeredHeight === null ? null : await referenceAt(reader, registeredHeight),
      executed_cut:
        registeredHeight === null ? null : await referenceAt(reader, registeredHeight + 1),
      reward: rewardDocument(facts, height),
    };
    return { height, document, isFinal: document.reward.state === 'paid' };
  });

async function bytesOf(
  { services }: RoutePorts,
  reader: ChainReader,
  id: string,
  isRegistered: boolean,
): Promise<{ header: Uint8Array; body: Uint8Array }> {
  const pooled = services.blocks.get(id);
  if (pooled !== undefined) return pooled.bytes;
  if (!isRegistered) throw new Refused('not_found', 'there is no such block', { path: 'id' });
  const header = await reader.blockHeader(id);
  const body = await reader.blockBody(id);
  if (header !== undefined && body !== undefined) return { header, body };
  throw new Refused('not_kept', 'the bytes of the block are not kept', { path: 'id' });
}

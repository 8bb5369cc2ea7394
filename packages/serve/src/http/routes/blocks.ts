/**
 * Work blocks and their rewards.
 */
import { ROUTES } from 'svc-api';
import { registrationWindowEnd } from 'svc-ledger';
import type { ChainReader, WorkRow } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { decodeCutBody, decodeWorkBlock, minerTag } from 'svc-wasm/protocol';
import { type RewardFacts, referenceAt, rewardDocument } from '../../documents/cuts.ts';
import { Refused } from '../../refusal.ts';
import { finalizedAt, type Handler, type RoutePorts } from './handler.ts';

export const blocksRecent: Handler<'blocksRecent'> = ({ readers, addresses }, { query }) =>
  readers.read(async (snapshot) => {
    const { reader, height } = snapshot;
    const { registered_height: cut, limit = ROUTES.blocksRecent.page.default } = query;
    const rows =
      cut === undefined
        ? await snapshot.once('recent blocks', () =>
            reader.recentBlocks(ROUTES.blocksRecent.page.maximum),
          )
        : await registeredBy(reader, cut, limit);
    const blocks = rows.slice(0, limit).map(({ id, work }) => ({
      block_id: id,
      anchor_height: work.anchorHeight,
      registered_height: work.registeredHeight,
      registration_window_end: registrationWindowEnd(work.anchorHeight),
      payout_address: addresses.text(work.payoutAddress),
      reward: rewardDocument(work, height),
    }));
    return finalizedAt(height, { blocks });
  });

/** The last blocks of a cut, in the order of the list: newest first. */
async function registeredBy(
  reader: ChainReader,
  height: number,
  limit: number,
): Promise<WorkRow[]> {
  const body = await reader.cutBody(height);
  if (body === undefined) return [];
  const ids = decodeCutBody(body).blockIds.map((id) => toHex(id));
  const newest = ids.reverse().slice(0, limit);
  const works = await Promise.all(newest.map((id) => reader.work(id)));
  return newest.flatMap((id, place) => {
    const work = works[place];
    return work === undefined ? [] : [{ id, work }];
  });
}

export const block: Handler<'block'> = (ports, { params: { id } }) =>
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
    const reward = rewardDocument(facts, height);
    return finalizedAt(
      height,
      {
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
        reward,
      },
      reward.state === 'paid',
    );
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

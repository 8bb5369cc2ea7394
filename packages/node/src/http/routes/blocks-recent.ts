/** `GET /v1/blocks/recent`. The list of a height is read once; that of a cut whenever it is asked for. */
import { ROUTES } from 'svc-api';
import { registrationWindowEnd } from 'svc-ledger';
import type { ChainReader, WorkRow } from 'svc-storage';
import { toHex } from 'svc-wasm';
import { decodeCutBody } from 'svc-wasm/protocol';
import { rewardDocument } from '../../documents/reward-document.ts';
import type { Handler } from './handler.ts';

const { page } = ROUTES.blocksRecent;

export const blocksRecent: Handler<typeof ROUTES.blocksRecent> = (
  { readers, addresses },
  { query },
) =>
  readers.read(async (snapshot) => {
    const { reader, height } = snapshot;
    const { registered_height: cut, limit = page.default } = query;
    const rows =
      cut === undefined
        ? await snapshot.once('recent blocks', () => reader.recentBlocks(page.maximum))
        : await registeredBy(reader, cut, limit);
    const blocks = rows.slice(0, limit).map(({ id, work }) => ({
      block_id: id,
      anchor_height: work.anchorHeight,
      registered_height: work.registeredHeight,
      registration_window_end: registrationWindowEnd(work.anchorHeight),
      payout_address: addresses.text(work.payoutAddress),
      reward: rewardDocument(work, height),
    }));
    return { height, document: { api_version: 1, finalized_height: height, blocks } };
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

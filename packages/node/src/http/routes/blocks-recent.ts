/** `GET /v1/blocks/recent`. The list of a height is read once. */
import { ROUTES } from 'svc-api';
import { registrationWindowEnd } from 'svc-ledger';
import { rewardDocument } from '../../documents/reward-document.ts';
import type { Handler } from './handler.ts';

const { page } = ROUTES.blocksRecent;

export const blocksRecent: Handler<typeof ROUTES.blocksRecent> = (
  { readers, addresses },
  { query },
) =>
  readers.read(async (snapshot) => {
    const { reader, height } = snapshot;
    const rows = await snapshot.once('recent blocks', () => reader.recentBlocks(page.maximum));
    const blocks = rows.slice(0, query.limit ?? page.default).map(({ id, work }) => ({
      block_id: id,
      anchor_height: work.anchorHeight,
      registered_height: work.registeredHeight,
      registration_window_end: registrationWindowEnd(work.anchorHeight),
      payout_address: addresses.text(work.payoutAddress),
      reward: rewardDocument(work, height),
    }));
    return { height, document: { api_version: 1, finalized_height: height, blocks } };
  });

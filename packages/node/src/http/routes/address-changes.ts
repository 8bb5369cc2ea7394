/** `POST /v1/address/changes`: ascending by height, and within a cut in the order of its changes. */
import { ROUTES } from 'svc-api';
import { addressChange } from '../../documents/output-documents.ts';
import { Refused } from '../../refusal/refused.ts';
import { fittingRows } from '../answers/rows.ts';
import { mergeHistories } from '../reading/merge-histories.ts';
import { Cursors, HISTORY_POSITION } from '../requests/positions.ts';
import type { Handler } from './handler.ts';

const { name, page } = ROUTES.addressChanges;

export const addressChanges: Handler<typeof ROUTES.addressChanges> = (
  { readers, addresses },
  { body },
) => {
  const hexes = addresses.hexes(body.addresses);
  const textOf = new Map(hexes.map((hex, index) => [hex, body.addresses[index] as string]));
  const cursors = new Cursors(name, [body.after_height, ...hexes].join(), HISTORY_POSITION);
  const limit = body.limit ?? page.default;
  return readers.read(async ({ reader, height }) => {
    const { indexedFrom } = reader.retention;
    const aboveHeight = body.after_height ?? indexedFrom - 1;
    if (aboveHeight + 1 < indexedFrom) {
      throw new Refused('not_kept', `expected at least ${indexedFrom - 1}`, {
        path: 'after_height',
      });
    }
    const after = cursors.read(body.cursor, height);
    const merged = await mergeHistories(reader, [...textOf.keys()], { after, aboveHeight, limit });
    const changes = merged.rows.map(({ address, row }) =>
      addressChange(textOf.get(address) as string, row),
    );
    const count = fittingRows(changes);
    const last = merged.rows[count - 1]?.row;
    const hasMore = merged.hasMore || count < changes.length;
    const next = hasMore && last !== undefined ? { height: last.height, index: last.index } : null;
    const document = {
      api_version: 1,
      indexed_height: height,
      changes: changes.slice(0, count),
      ...cursors.next(next, height),
    } as const;
    return { height, document };
  });
};

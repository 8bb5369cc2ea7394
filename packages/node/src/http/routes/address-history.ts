/** `GET /v1/address/{address}/history`. */
import { ROUTES } from 'svc-api';
import { historyEvent } from '../../documents/output-documents.ts';
import { Cursors, HISTORY_POSITION } from '../requests/positions.ts';
import type { Handler } from './handler.ts';

const { name, page } = ROUTES.addressHistory;

export const addressHistory: Handler<typeof ROUTES.addressHistory> = (
  { readers, addresses },
  { params: { address }, query },
) => {
  const hex = addresses.hex(address);
  const cursors = new Cursors(name, hex, HISTORY_POSITION);
  return readers.read(async ({ reader, height }) => {
    const { indexedFrom } = reader.retention;
    const after = cursors.read(query.cursor, height);
    const { rows, next } = await reader.history(hex, { after, limit: query.limit ?? page.default });
    const document = {
      api_version: 1,
      address,
      indexed_height: height,
      ...(indexedFrom > 1 ? { indexed_from: indexedFrom } : {}),
      events: rows.map(historyEvent),
      ...cursors.next(next, height),
    } as const;
    return { height, document };
  });
};

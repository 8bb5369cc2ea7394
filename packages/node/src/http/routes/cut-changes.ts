/** `GET /v1/cuts/{height}/changes`. */
import { ROUTES } from 'svc-api';
import { expectKept } from '../../documents/cut-documents.ts';
import { cutChange } from '../../documents/output-documents.ts';
import { fittingRows } from '../answers/rows.ts';
import { Cursors, INDEX_POSITION } from '../requests/positions.ts';
import type { Handler } from './handler.ts';

const { name, page } = ROUTES.cutChanges;

export const cutChanges: Handler<typeof ROUTES.cutChanges> = (
  { readers, addresses },
  { params, query },
) => {
  const cursors = new Cursors(name, String(params.height), INDEX_POSITION);
  return readers.read(async ({ reader, height }) => {
    expectKept(reader, params.height, reader.retention.indexedFrom);
    const after = cursors.read(query.cursor, height);
    const limit = query.limit ?? page.default;
    const { rows, next } = await reader.cutChanges(params.height, { after, limit });
    const changes = rows.map((row) => cutChange(addresses.text(row.entry.address), row));
    const count = fittingRows(changes);
    const document = {
      api_version: 1,
      finalized_height: height,
      height: params.height,
      changes: changes.slice(0, count),
      ...cursors.next(count < rows.length ? (rows[count - 1]?.index ?? null) : next, height),
    } as const;
    return { height, document, isFinal: true };
  });
};

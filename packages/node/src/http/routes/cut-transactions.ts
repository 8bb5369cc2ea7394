/** `GET /v1/cuts/{height}/transactions`. */
import { ROUTES } from 'svc-api';
import { expectKept } from '../../documents/cut-documents.ts';
import { cutTransaction } from '../../documents/outcome-documents.ts';
import { Cursors, INDEX_POSITION } from '../requests/positions.ts';
import type { Handler } from './handler.ts';

const { name, page } = ROUTES.cutTransactions;

export const cutTransactions: Handler<typeof ROUTES.cutTransactions> = (
  { addresses, readers },
  { params, query },
) => {
  const cursors = new Cursors(name, String(params.height), INDEX_POSITION);
  return readers.read(async ({ reader, height }) => {
    expectKept(reader, params.height, reader.retention.indexedFrom);
    const after = cursors.read(query.cursor, height);
    const limit = query.limit ?? page.default;
    const { rows, next } = await reader.cutTransactions(params.height, { after, limit });
    const document = {
      api_version: 1,
      finalized_height: height,
      height: params.height,
      transactions: rows.map((row) => cutTransaction(row, addresses)),
      ...cursors.next(next, height),
    } as const;
    return { height, document, isFinal: true };
  });
};

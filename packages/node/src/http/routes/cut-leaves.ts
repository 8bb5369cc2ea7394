/** `GET /v1/cuts/{height}/leaves`. */
import { ROUTES } from 'svc-api';
import { expectCut, expectKept } from '../../documents/cut-documents.ts';
import { Cursors, INDEX_POSITION } from '../requests/positions.ts';
import type { Handler } from './handler.ts';

const { name, page } = ROUTES.cutLeaves;

export const cutLeaves: Handler<typeof ROUTES.cutLeaves> = (
  { readers, cutLists },
  { params, query },
) => {
  const cursors = new Cursors(name, String(params.height), INDEX_POSITION);
  return readers.read(async ({ reader, height }) => {
    expectKept(reader, params.height, reader.retention.indexedFrom);
    const cut = await expectCut(reader, params.height);
    const first = cursors.read(query.cursor, height) ?? 0;
    const leaves = await cutLists.changeLeaves(reader, cut);
    const end = first + (query.limit ?? page.default);
    const document = {
      api_version: 1,
      finalized_height: height,
      height: cut.height,
      cut_id: cut.cutId,
      count: leaves.length,
      leaves_base64: Buffer.concat(leaves.slice(first, end)).toString('base64'),
      ...cursors.next(end < leaves.length ? end : null, height),
    } as const;
    return { height, document, isFinal: true };
  });
};

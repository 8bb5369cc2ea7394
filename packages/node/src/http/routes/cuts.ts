/** `GET /v1/cuts`. */
import { ROUTES } from 'svc-api';
import { decodeCutHeader } from 'svc-wasm/protocol';
import { cutSummary } from '../../documents/cut-documents.ts';
import type { Handler } from './handler.ts';

const { page } = ROUTES.cuts;

export const cuts: Handler<typeof ROUTES.cuts> = ({ readers }, { query }) =>
  readers.read(async ({ reader, height }) => {
    const { before, limit = page.default } = query;
    const { rows, next } = await reader.cuts({ before, limit });
    const listed = [];
    for (const row of rows) {
      const summary = await reader.summary(row.height);
      listed.push(cutSummary(row, decodeCutHeader(row.header), summary));
    }
    const document = {
      api_version: 1,
      finalized_height: height,
      cuts: listed,
      ...(next === null ? {} : { next_before: next }),
    } as const;
    return { height, document };
  });

/** `POST /v1/proofs/cuts`. */
import type { ROUTES } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import { expectCut } from '../../documents/cut-documents.ts';
import { Refused } from '../../refusal/refused.ts';
import type { Handler } from './handler.ts';

export const proofsCuts: Handler<typeof ROUTES.proofsCuts> = ({ readers, services }, { body }) =>
  readers.read(async ({ reader, height: finalized }) => {
    const { height = finalized, heights } = body;
    await expectCut(reader, height);
    const earlier = [...new Set(heights)].sort((a, b) => a - b);
    if (earlier.some((each) => each >= height))
      throw new Refused('not_found', `expected heights below ${height}`, { path: 'heights' });
    const rows = await Promise.all(earlier.map((each) => expectCut(reader, each)));
    const proof = services.proofs.cuts(height, earlier);
    if (proof === undefined)
      throw new Refused('not_kept', 'this node is still fetching earlier cuts', {
        path: 'heights',
      });
    const document = {
      api_version: 1,
      finalized_height: finalized,
      height,
      cuts: rows.map((row) => ({
        height: row.height,
        cut_id: row.cutId,
        header_hex: toHex(row.header),
      })),
      proof_hex: toHex(proof),
    } as const;
    return { height: finalized, document };
  });

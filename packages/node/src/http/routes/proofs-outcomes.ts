/** `POST /v1/proofs/outcomes`. */
import type { ROUTES } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import { expectCut, expectKept } from '../../documents/cut-documents.ts';
import type { Handler } from './handler.ts';

export const proofsOutcomes: Handler<typeof ROUTES.proofsOutcomes> = (
  { readers, cutLists },
  { body },
) =>
  readers.read(async ({ reader, height: finalized }) => {
    const { height, transaction_ids } = body;
    expectKept(reader, height, reader.retention.indexedFrom);
    const cut = await expectCut(reader, height);
    const proof = await cutLists.proveOutcomes(reader, cut, transaction_ids);
    const document = {
      api_version: 1,
      finalized_height: finalized,
      height,
      cut_id: cut.cutId,
      proof_hex: toHex(proof),
    } as const;
    return { height: finalized, document };
  });

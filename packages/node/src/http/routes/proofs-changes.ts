/** `POST /v1/proofs/changes`. */
import type { ROUTES } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import { expectCut, expectKept } from '../../documents/cut-documents.ts';
import type { Handler } from './handler.ts';

export const proofsChanges: Handler<typeof ROUTES.proofsChanges> = (
  { readers, addresses, cutLists },
  { body },
) => {
  const hexes = addresses.hexes(body.addresses);
  return readers.read(async ({ reader, height: finalized }) => {
    const { height } = body;
    expectKept(reader, height, reader.retention.indexedFrom);
    const cut = await expectCut(reader, height);
    const proof = await cutLists.proveChanges(reader, cut, hexes);
    const document = {
      api_version: 1,
      finalized_height: finalized,
      height,
      cut_id: cut.cutId,
      proof_hex: toHex(proof),
    } as const;
    return { height: finalized, document };
  });
};

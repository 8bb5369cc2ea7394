/** `POST /v1/proofs/utxos`. */
import type { ROUTES } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import { proveAtHead } from '../reading/prove-at-head.ts';
import type { Handler } from './handler.ts';

export const proofsUtxos: Handler<typeof ROUTES.proofsUtxos> = async (ports, { body }) => {
  const { proofs } = ports.services;
  const { height, cut, header, result } = await proveAtHead(ports, async () => {
    const made: (Uint8Array | undefined)[] = [];
    for (const { transaction_id, output_index } of body.outpoints) {
      made.push(await proofs.output({ transactionId: transaction_id, outputIndex: output_index }));
    }
    return made;
  });
  const document = {
    api_version: 1,
    finalized_height: height,
    cut,
    header_hex: toHex(header),
    proofs: body.outpoints.map((outpoint, index) => {
      const proof = result[index];
      const proof_hex = proof === undefined ? null : toHex(proof);
      return { outpoint, included: proof !== undefined, proof_hex };
    }),
  } as const;
  return { height, document };
};

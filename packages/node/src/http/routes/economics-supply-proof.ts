/** `GET /v1/economics/supply/proof`. */
import type { ROUTES } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import { proveAtHead } from '../reading/prove-at-head.ts';
import type { Handler } from './handler.ts';

export const economicsSupplyProof: Handler<typeof ROUTES.economicsSupplyProof> = async (ports) => {
  const { height, cut, header, result } = await proveAtHead(ports, () =>
    ports.services.proofs.totals(),
  );
  const document = {
    api_version: 1,
    finalized_height: height,
    cut,
    header_hex: toHex(header),
    proof_hex: toHex(result),
  } as const;
  return { height, document };
};

/** `GET /v1/address/{address}/proof`. */
import type { ROUTES } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import { Refused } from '../../refusal/refused.ts';
import { proveAtHead } from '../reading/prove-at-head.ts';
import type { Handler } from './handler.ts';

export const addressProof: Handler<typeof ROUTES.addressProof> = async (
  ports,
  { params: { address } },
) => {
  const hex = ports.addresses.hex(address);
  const { height, cut, header, result } = await proveAtHead(ports, () =>
    ports.services.proofs.address(hex),
  );
  if (result === undefined) {
    throw new Refused('too_many_items', 'the address has more outputs than a proof can list');
  }
  const document = {
    api_version: 1,
    address,
    finalized_height: height,
    cut,
    header_hex: toHex(header),
    proof_hex: toHex(result),
  } as const;
  return { height, document };
};

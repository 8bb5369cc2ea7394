/** `GET /v1/address/{address}/balance`. */
import type { ROUTES } from 'svc-api';
import type { Handler } from './handler.ts';

export const addressBalance: Handler<typeof ROUTES.addressBalance> = (
  { readers, addresses },
  { params: { address } },
) => {
  const hex = addresses.hex(address);
  return readers.read(async ({ reader, height }) => {
    const [balance] = await reader.balances([hex]);
    const document = {
      api_version: 1,
      address,
      balance: String(balance?.amount ?? 0n),
      utxos: balance?.outputs ?? 0,
      indexed_height: height,
    } as const;
    return { height, document };
  });
};

/** `POST /v1/address/balances`. */
import type { ROUTES } from 'svc-api';
import type { Handler } from './handler.ts';

export const addressBalances: Handler<typeof ROUTES.addressBalances> = (
  { readers, addresses },
  { body },
) => {
  const hexes = addresses.hexes(body.addresses);
  return readers.read(async ({ reader, height }) => {
    const rows = await reader.balances(hexes);
    const balances = rows.map(({ amount, outputs }, index) => ({
      address: body.addresses[index] as string,
      balance: String(amount),
      utxos: outputs,
    }));
    return { height, document: { api_version: 1, indexed_height: height, balances } };
  });
};

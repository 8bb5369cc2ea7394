/**
 * `GET /v1/address/{address}/balance`, the read that is asked for most.
 */
import type { ROUTES } from 'svc-api';
import type { Handler } from './handler.ts';

export const addressBalance: Handler<typeof ROUTES.addressBalance> = (
  { addresses, balances, readers },
  { params: { address } },
) => {
  const known = balances.answer(address);
  if (known !== undefined) return known;
  const hex = addresses.hex(address);
  return readers.readNow(({ reader, height }) =>
    balances.remember(address, hex, reader.balance(hex), height),
  );
};

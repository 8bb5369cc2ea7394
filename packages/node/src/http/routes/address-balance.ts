/**
 * `GET /v1/address/{address}/balance`, the read that is asked for most.
 */
import type { ROUTES } from 'svc-api';
import type { Balance } from 'svc-storage';
import type { Handler } from './handler.ts';

const NOTHING: Balance = { amount: 0n, outputs: 0 };

export const addressBalance: Handler<typeof ROUTES.addressBalance> = (
  { addresses, balances, readers },
  { params: { address } },
) => {
  const known = balances.answer(address);
  if (known !== undefined) return known;
  const hex = addresses.hex(address);
  return readers.read(({ reader, height }) =>
    reader
      .balances([hex])
      .then(([balance = NOTHING]) => balances.remember(address, hex, balance, height)),
  );
};

/**
 * `GET /v1/address/{address}/balance`, the read that is asked for most. Who waits for a payment asks again and
 * again; until the next cut the answer is the same.
 */
import type { ROUTES } from 'svc-api';
import type { Balance } from 'svc-storage';
import type { Handler } from './handler.ts';

const NOTHING: Balance = { amount: 0n, outputs: 0 };

export const addressBalance: Handler<typeof ROUTES.addressBalance> = (
  { addresses, readers },
  { params: { address } },
) => {
  const known = readers.current?.known(address);
  if (known !== undefined) return known;
  const hex = addresses.hex(address);
  return readers.read((snapshot) => {
    const { reader, height } = snapshot;
    return reader.balances([hex]).then(([balance = NOTHING]) => {
      const answer = { height, text: balanceText(address, balance, height) };
      snapshot.remember(address, answer);
      return answer;
    });
  });
};

/** Nothing in it needs to be escaped: an address that was decoded is letters and digits. */
function balanceText(address: string, { amount, outputs }: Balance, height: number): string {
  return `{"api_version":1,"address":"${address}","balance":"${amount}","utxos":${outputs},"indexed_height":${height}}`;
}

/** `addresses`. */
import { PAGE_DEFAULT } from 'svc-api/rpc';
import type { Handler } from './handler.ts';
import { coinsOf } from './values.ts';

export const addresses: Handler<'addresses'> = (
  { state },
  { label, cursor, limit = PAGE_DEFAULT },
) => {
  const after = Number(cursor ?? 0);
  const found =
    label === undefined
      ? state.addresses.listGiven(after, limit + 1)
      : state.addresses.listLabelled(label, after, limit + 1);
  const page = found.slice(0, limit);
  return {
    addresses: page.map((own) => ({
      address: own.address,
      index: own.position,
      label: own.label,
      balance: coinsOf(own.balance),
      outputs: own.outputCount,
      used: own.usedHeight !== null,
      issued_at_millis: own.issuedAtMillis,
    })),
    ...(found.length > limit ? { next_cursor: String(page.at(-1)?.id) } : {}),
  };
};

/** `POST /v1/address/utxos`. The rows are shared out in the order of the addresses. */
import { type ROUTES, ROWS_MAX } from 'svc-api';
import { PAGE_LIMITS } from 'svc-storage';
import { utxoDocument } from '../../documents/output-documents.ts';
import { fittingRows } from '../answers/rows.ts';
import type { Handler } from './handler.ts';

export const addressUtxosBatch: Handler<typeof ROUTES.addressUtxosBatch> = (
  { readers, addresses },
  { body },
) => {
  const hexes = addresses.hexes(body.addresses);
  return readers.read(async ({ reader, height }) => {
    const listed = [];
    let rowsLeft: number = ROWS_MAX;
    for (const [index, hex] of hexes.entries()) {
      const address = body.addresses[index] as string;
      const limit = Math.min(rowsLeft, PAGE_LIMITS.utxos);
      if (limit === 0) {
        listed.push({ address, utxos: [], truncated: true });
        continue;
      }
      const { rows, next } = await reader.utxos(hex, { limit });
      rowsLeft -= rows.length;
      listed.push({ address, utxos: rows.map(utxoDocument), truncated: next !== null });
    }
    const document = {
      api_version: 1,
      indexed_height: height,
      addresses: shortened(listed),
    } as const;
    return { height, document };
  });
};

interface Listed {
  readonly address: string;
  readonly utxos: ReturnType<typeof utxoDocument>[];
  readonly truncated: boolean;
}

/** Drops the rows that would make the answer too large. */
function shortened(listed: readonly Listed[]): Listed[] {
  let left = fittingRows(listed.flatMap(({ utxos }) => utxos));
  return listed.map(({ address, utxos, truncated }) => {
    const kept = utxos.slice(0, left);
    left -= kept.length;
    return { address, utxos: kept, truncated: truncated || kept.length < utxos.length };
  });
}

/** `GET /v1/address/{address}/utxos`. */
import { ROUTES } from 'svc-api';
import { utxoDocument } from '../../documents/output-documents.ts';
import { Cursors, hexPosition } from '../requests/positions.ts';
import type { Handler } from './handler.ts';

const POSITION = hexPosition(64);
const { name, page } = ROUTES.addressUtxos;

export const addressUtxos: Handler<typeof ROUTES.addressUtxos> = (
  { readers, addresses },
  { params: { address }, query },
) => {
  const hex = addresses.hex(address);
  const cursors = new Cursors(name, hex, POSITION);
  return readers.read(async ({ reader, height }) => {
    const after = cursors.read(query.cursor, height);
    const { rows, next } = await reader.utxos(hex, { after, limit: query.limit ?? page.default });
    const document = {
      api_version: 1,
      address,
      indexed_height: height,
      utxos: rows.map(utxoDocument),
      ...cursors.next(next, height),
    } as const;
    return { height, document };
  });
};

/** `POST /v1/keys/registered`. Only addresses of a single key have one. */
import type { ROUTES } from 'svc-api';
import { keyAddress } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import type { Handler } from './handler.ts';

export const keysRegistered: Handler<typeof ROUTES.keysRegistered> = (
  { readers, addresses },
  { body },
) => {
  const hexes = addresses.hexes(body.addresses);
  const hashes = hexes.map((hex) => hex.slice(2));
  return readers.read(async ({ reader, height }) => {
    const records = await reader.keys(hashes);
    const heights = await reader.keyHeights(hashes);
    const keys = hexes.map((hex, index) => {
      const isKey = hex === keyAddress(hashes[index] as string);
      const record = isKey ? records[index] : undefined;
      return {
        address: body.addresses[index] as string,
        registered: record !== undefined,
        public_key: record === undefined ? null : toHex(record.publicKey),
        registered_height: record === undefined ? null : (heights[index] ?? null),
      };
    });
    return { height, document: { api_version: 1, finalized_height: height, keys } };
  });
};

/** `outputs`. */
import { type MethodResult, PAGE_DEFAULT } from 'svc-api/rpc';
import type { WalletOutput } from '../state/outputs.ts';
import type { Handler } from './handler.ts';
import { coinsOf, ownAddressOf } from './values.ts';

type Entry = MethodResult<'outputs'>['outputs'][number];

export const outputs: Handler<'outputs'> = (wallet, { address, cursor, limit = PAGE_DEFAULT }) => {
  const { scanner, state } = wallet;
  const after = Number(cursor ?? 0);
  const found =
    address === undefined
      ? state.outputs.listUnspent(after, limit + 1)
      : state.outputs.listUnspentOf(ownAddressOf(wallet, address, 'address').id, after, limit + 1);
  const page = found.slice(0, limit);
  return {
    outputs: page.map((output) => entryOf(output, scanner.indexedHeight)),
    ...(found.length > limit ? { next_cursor: String(page.at(-1)?.id) } : {}),
  };
};

function entryOf(output: WalletOutput, indexedHeight: number): Entry {
  return {
    transaction: output.transactionId,
    output: output.outputIndex,
    address: output.address,
    label: output.label,
    change: output.branch === 1,
    amount: coinsOf(output.amount),
    source: output.source as Entry['source'],
    height: output.height,
    confirmations: Math.max(1, indexedHeight - output.height + 1),
    reserved: output.reservedBy !== null,
  };
}

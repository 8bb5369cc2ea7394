/**
 * `POST /v1/transactions/batch`. Each transaction spends the budget of a submission and is answered for itself; their
 * signatures are checked side by side, and they reach the disk together.
 */
import type { ROUTES, SubmissionReceipt } from 'svc-api';
import { fromHex } from 'svc-wasm/base';
import { errorDocument, Refused, statusOf } from '../../refusal/refused.ts';
import type { AnswerOf, Handler, RoutePorts } from './handler.ts';
import { submitWire } from './transaction-submit.ts';

export const transactionsSubmit: Handler<typeof ROUTES.transactionsSubmit> = async (
  ports,
  { body, client },
) => {
  // A request that is malformed is refused whole, before anything of it is taken.
  const wires = body.wires_hex.map((hex, at) => fromHex(hex, `wires_hex[${at}]`));
  return await submitWires(ports, client, wires);
};

/** Takes several transactions for a client. */
export async function submitWires(
  ports: RoutePorts,
  client: string,
  wires: readonly Uint8Array[],
): Promise<AnswerOf<typeof ROUTES.transactionsSubmit>> {
  const receipts = await Promise.all(wires.map((wire) => receiptFor(ports, client, wire)));
  const document = { api_version: 1, receipts } as const;
  return { height: ports.services.chain.head.height, document };
}

async function receiptFor(
  ports: RoutePorts,
  client: string,
  wire: Uint8Array,
): Promise<SubmissionReceipt> {
  try {
    return { ...(await submitWire(ports, client, wire)), refusal: null };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { api_version, ...document } = errorDocument(error);
    const refusal = { status: statusOf(error), ...document };
    return { transaction_id: null, result: 'refused', refusal };
  }
}

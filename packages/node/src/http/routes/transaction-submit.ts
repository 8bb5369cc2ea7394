/** `POST /v1/transactions`. Its own budget is taken before any signature is checked. */
import { errorEntry, isErrorCode, type ROUTES, type TransactionReceipt } from 'svc-api';
import { fromHex } from 'svc-wasm/base';
import type { Admission } from '../../ports/mempool.ts';
import { Refused } from '../../refusal/refused.ts';
import type { Handler, RoutePorts } from './handler.ts';

const RETRY_MILLIS = 2_500;

export const transactionSubmit: Handler<typeof ROUTES.transactionSubmit> = async (
  ports,
  { body, client },
) => {
  const wire = fromHex(body.wire_hex, 'wire_hex');
  const receipt = await submitWire(ports, client, wire);
  const document = { api_version: 1, ...receipt } as const;
  return { height: ports.services.chain.head.height, document };
};

/** Takes one transaction for a client, or throws why not. */
export async function submitWire(
  { services, guard }: Pick<RoutePorts, 'services' | 'guard'>,
  client: string,
  wire: Uint8Array,
): Promise<Omit<TransactionReceipt, 'api_version'>> {
  const overRate = guard.spendSubmission(client);
  if (overRate !== undefined) {
    const { code, message, retryAfterMillis = RETRY_MILLIS } = overRate;
    throw new Refused(code, message, { retryAfterMillis });
  }
  if (!services.sync().synced) {
    throw new Refused('not_synced', 'the node is catching up', { retryAfterMillis: RETRY_MILLIS });
  }
  const admission = await services.mempool.submit(wire, 'own');
  if (admission.type === 'refused') throw refusedFor(admission);
  return { transaction_id: admission.id, result: admission.type };
}

type RefusedAdmission = Extract<Admission, { readonly type: 'refused' }>;

/** The refusal of a transaction: 422 instead of 400, since the request that carries it is well-formed. */
function refusedFor({ code, message, path }: RefusedAdmission): Refused {
  const known = isErrorCode(code) ? code : 'invalid';
  const { status, retry } = errorEntry(known);
  return new Refused(known, message, {
    path,
    status: status === 400 ? 422 : status,
    ...(retry === 'later' ? { retryAfterMillis: RETRY_MILLIS } : {}),
  });
}

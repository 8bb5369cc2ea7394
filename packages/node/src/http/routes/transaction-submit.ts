/** `POST /v1/transactions`. Its own budget is taken before any signature is checked. */
import { isErrorCode, type ROUTES } from 'svc-api';
import { fromHex } from 'svc-wasm/base';
import { Refused } from '../answers/refused.ts';
import type { Handler } from './handler.ts';

const RETRY_MILLIS = 2_500;

export const transactionSubmit: Handler<typeof ROUTES.transactionSubmit> = async (
  { services, guard },
  { body, client },
) => {
  const wire = fromHex(body.wire_hex, 'wire_hex');
  const overRate = guard.takeSubmission(client);
  if (overRate !== undefined) {
    const { code, message, retryAfterMillis = RETRY_MILLIS } = overRate;
    throw new Refused(code, message, { retryAfterMillis });
  }
  if (!services.sync().synced) {
    throw new Refused('not_synced', 'the node is catching up', { retryAfterMillis: RETRY_MILLIS });
  }
  const admission = await services.mempool.submit(wire, 'own');
  if (admission.type === 'refused') {
    const { code, message, path } = admission;
    const known = isErrorCode(code) ? code : 'invalid';
    throw new Refused(known, message, { path, retryAfterMillis: RETRY_MILLIS });
  }
  const document = {
    api_version: 1,
    transaction_id: admission.id,
    result: admission.type,
  } as const;
  return { height: services.chain.head.height, document };
};

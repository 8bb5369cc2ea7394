/**
 * Carries out a request that moves money and types its reply.
 */
import type { MethodResult } from 'svc-api/rpc';
import type { OutgoingMethod, OutgoingParams } from '../journal/makers/index.ts';
import type { Wallet } from '../wallet.ts';

export async function perform<M extends OutgoingMethod>(
  wallet: Wallet,
  method: M,
  requestId: string,
  params: OutgoingParams<M>,
): Promise<MethodResult<M>> {
  const request = { requestId, method, params, isAutomatic: false };
  return (await wallet.outgoing.perform(request)) as unknown as MethodResult<M>;
}

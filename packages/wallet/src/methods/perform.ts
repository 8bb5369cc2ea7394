/**
 * Carries out a request that moves money and types its reply.
 */
import type { MethodResult } from 'svc-api/rpc';
import type { OutgoingMethod, OutgoingParams } from '../journal/makers/index.ts';
import type { Wallet } from '../wallet.ts';

interface DryRun {
  readonly dry_run?: boolean;
}

export async function perform<M extends OutgoingMethod>(
  wallet: Wallet,
  method: M,
  requestId: string,
  { dry_run, ...params }: OutgoingParams<M> & DryRun,
): Promise<MethodResult<M>> {
  const request = { requestId, method, params, isAutomatic: false };
  const reply =
    dry_run === true
      ? await wallet.outgoing.preview(request)
      : await wallet.outgoing.perform(request);
  return reply as unknown as MethodResult<M>;
}

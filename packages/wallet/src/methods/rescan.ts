/** `rescan`: answers at once; `status` tells how far it is, and `resync_required` when it is done. */
import type { Handler } from './handler.ts';

export const rescan: Handler<'rescan'> = (wallet, { gap }) => {
  wallet.rescan(gap);
  return { started: true, gap: wallet.gap };
};

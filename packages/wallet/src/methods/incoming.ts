/** `incoming`. */
import type { Handler } from './handler.ts';

export const incoming: Handler<'incoming'> = (wallet) => ({
  payments: wallet.incoming.list().map(({ atoms: _, ...payment }) => payment),
});

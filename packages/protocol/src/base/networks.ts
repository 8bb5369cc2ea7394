/**
 * The four networks, their codes and address prefixes; `docs/protocol.md` 2.
 */
import { SvcError } from './svc-error.ts';

export const NETWORKS = {
  mainnet: { code: 1, prefix: 'svc' },
  testnet: { code: 2, prefix: 'tsvc' },
  testnet100: { code: 3, prefix: 'hsvc' },
  development: { code: 4, prefix: 'dsvc' },
} as const satisfies Record<string, { code: number; prefix: string }>;

export type Network = keyof typeof NETWORKS;

export function expectNetwork(value: unknown, path: string): Network {
  if (typeof value === 'string' && Object.hasOwn(NETWORKS, value)) return value as Network;
  throw new SvcError('wrong_network', `expected one of ${Object.keys(NETWORKS).join(', ')}`, {
    path,
  });
}

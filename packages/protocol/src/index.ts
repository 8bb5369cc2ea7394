/**
 * What the module offers, the same from every entry; `init` comes from the entry itself.
 */
export type { ErrorCode } from './base/error-codes.ts';
export { ERROR_CODES } from './base/error-codes.ts';
export type { Network } from './base/networks.ts';
export { SvcError } from './base/svc-error.ts';

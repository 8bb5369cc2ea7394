/**
 * svc-wallet.
 */
export {};

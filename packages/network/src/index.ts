/**
 * svc-network.
 */
export {};

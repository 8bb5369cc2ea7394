/**
 * svc-client.
 */
export {};

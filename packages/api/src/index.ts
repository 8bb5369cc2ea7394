/**
 * svc-api.
 */
export {};

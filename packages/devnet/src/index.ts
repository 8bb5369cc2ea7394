/**
 * svc-devnet: a development network inside a test.
 */
export { createDevnet } from './create-devnet.ts';
export type { Devnet, DevnetFaults, DevnetOptions } from './devnet.ts';

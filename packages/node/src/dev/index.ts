/**
 * Development networks.
 */
export { NodeMetrics } from '../metrics/node-metrics.ts';
export { VERSION } from '../version.ts';
export type { DevContext, DevOptions } from './dev-config.ts';
export { type DevKeys, devKeys, devRoot } from './dev-genesis.ts';
export { DevNetwork, startDevNetwork } from './dev-network.ts';

/**
 * Development networks.
 */
export type { DevContext, DevOptions } from '../cli/actions.ts';
export { NodeMetrics } from '../metrics/node-metrics.ts';
export { type DevKeys, devKeys } from './dev-keys.ts';
export { DevNetwork, startDevNetwork } from './dev-network.ts';

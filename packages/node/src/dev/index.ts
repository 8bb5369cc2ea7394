/**
 * Development networks.
 */
export { DevNetwork, startDevNetwork } from './dev-network.ts';

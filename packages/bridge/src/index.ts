/**
 * svc-bridge: solo mining through a node. The program is `bin/svc-bridge.js`; this is what tests and tools start.
 */
export { type Bridge, type BridgeOptions, type BridgePorts, startBridge } from './bridge.ts';
export { main } from './main.ts';

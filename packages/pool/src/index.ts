/**
 * svc-pool: mining together or alone for one address. The program is `bin/svc-pool.js`; this is what tests and tools
 * start.
 */
export { main } from './main.ts';
export { type Pool, type PoolOptions, type PoolPorts, startPool } from './pool.ts';

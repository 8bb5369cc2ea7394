/**
 * Stand-ins for tests and benchmarks of whatever speaks with a mining listener.
 */
export { StubNode, type StubNodeOptions } from './stub-node.ts';

/**
 * Stand-ins for tests and benchmarks of whatever speaks with a mining listener.
 */
export { STUB_BODY_HEX, StubNode, type StubNodeOptions } from './stub-node.ts';

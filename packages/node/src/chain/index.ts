/**
 * The chain of a node, a pool of blocks without proof of work and the ports of a validator, for simulations that run
 * them on virtual disks.
 */
export { MemoryBlocks } from '../testing/cluster-blocks.ts';
export { makeBlock } from '../testing/fixture-block.ts';
export { ChainPort } from '../validator/chain-port.ts';
export { WireCodec } from '../validator/wire-codec.ts';
export { ChainCore, type ChainOptions } from './chain-core.ts';
export type { ChainDisk, SetFiles } from './chain-disk.ts';

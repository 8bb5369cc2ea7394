/**
 * The chain of a node, its pool of blocks and the ports of a validator, for simulations that run them on virtual disks.
 */

export type { Admission, Mempool } from 'svc-serve/ports';
export { isCurrent } from 'svc-serve/ports';
export { Anchors } from '../blocks/anchors.ts';
export { type BlockPoolLimits, WorkBlockPool } from '../blocks/block-pool.ts';
export { ProposalBlocks } from '../blocks/proposal-blocks.ts';
export { AwaitedRegistration } from '../compose/await-registration.ts';
export { TransactionPool } from '../mempool/transaction-pool.ts';
export { NodeApplication } from '../network/node-application.ts';
export { makeBlock } from '../testing/fixture-block.ts';
export { ChainPort } from '../validator/chain-port.ts';
export { HeartbeatChainPort } from '../validator/heartbeat-chain.ts';
export { type RotatingSeat, RotatingSeats } from '../validator/rotating-seats.ts';
export { SharedOverlay } from '../validator/shared-overlay.ts';
export { WireCodec } from '../validator/wire-codec.ts';
export { ChainCore, type ChainOptions, type CutToInstall } from './chain-core.ts';
export { type ChainDisk, MemorySets, type SetFiles } from './chain-disk.ts';

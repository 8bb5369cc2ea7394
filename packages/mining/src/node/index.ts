/**
 * The client of nodes alone, for programs that mine without a server between: `svc-mining/node`.
 */
export { MiningNode, NodeRefusal } from './mining-node.ts';
export {
  type BlockAnswer,
  type NodeState,
  WorkSource,
  type WorkSourceOptions,
  type WorkSourcePorts,
} from './work-source.ts';

/**
 * What bridge and pool share. Listeners, connections, checks of shares, bans, jobs from nodes, statistics.
 */

export { MiningNode, NodeRefusal } from '../node/mining-node.ts';
export { TemplateReader } from '../node/template-reader.ts';
export {
  type BlockAnswer,
  type NodeState,
  WorkSource,
  type WorkSourceOptions,
  type WorkSourcePorts,
} from '../node/work-source.ts';
export { BODY_CHARACTERS_MAX } from './body-cache.ts';
export {
  type Listeners,
  type ListenersOptions,
  listeningText,
  openListeners,
} from './listeners/open-listeners.ts';
export {
  type Certificate,
  listenTcp,
  listenTls,
} from './listeners/socket-listener.ts';
export { listenWebSocket, type WebSocketOptions } from './listeners/web-socket-listener.ts';
export {
  type MiningWork,
  type MiningWorkOptions,
  openMiningWork,
} from './mining-work.ts';
export {
  DEFAULT_NODE_URL,
  OFF,
  parseBinds,
  parseDifficulty,
  parseExplorer,
  parseHttpUrl,
  parseOrigin,
  parsePowMode,
  readCertificate,
} from './option-values.ts';
export {
  type ReportOptions,
  type ReportPorts,
  serverMetrics,
  statisticsDocument,
} from './report/server-report.ts';
export { Statistics, type WorkerLine } from './report/statistics.ts';
export { sourceOf } from './source-of.ts';
export { type StratumOptions, type StratumPorts, StratumServer } from './stratum-server.ts';
export type { Accept, Bind, Transport, TransportEvents } from './transport.ts';

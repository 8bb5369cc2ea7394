/**
 * The contract of the mining listener.
 */
export { CandidateDocument, CandidateRequest } from './candidate.ts';
export { MiningChainDocument } from './chain.ts';
export { MINING_EVENTS_PROTOCOL, MiningEvent } from './events.ts';
export { MINING_ERRORS } from './mining-errors.ts';
export { RatesDocument } from './rates.ts';
export { MINING_ROUTES, type MiningRoute } from './routes.ts';
export {
  MINER_TAG_CHARACTERS_MAX,
  TEMPLATE_TRANSACTIONS_MAX,
  TemplateDocument,
  TemplateRequest,
} from './template.ts';

/**
 * What the proof of work exports, in the module and in the miner's kernel alike.
 */
export { powAttach, powInput, powPages, powResult, powTargets } from './area';
export { powMakeCache } from './cache';
export { powFull, powLight } from './hash';
export { powItem, powItems } from './items';
export { powSearch, powSearchLight } from './search';

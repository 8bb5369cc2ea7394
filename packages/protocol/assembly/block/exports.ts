/**
 * What work blocks export.
 */
export { blockBodyCheck, blockBodyFault } from './body';
export { blockHeaderCheck } from './header';

/**
 * Suites that an implementation of the ports must pass, and stand-ins.
 */
export { type ComplianceSubject, chainReaderCompliance } from './chain-reader-compliance.ts';
export type { ChainScript } from './chain-script.ts';
export { MemoryChainReader } from './memory-chain-reader.ts';
export { encodeResultHeader, type ResultHeaderOptions } from './result-header.ts';

/**
 * What cuts export.
 */
export { certificateDecode } from './certificate';
export { certificateCheck } from './certificate-check';
export { cutFaultIndex, cutFaultPart } from './fault';
export { cutHeaderDecode } from './header';
export { validatorSetDecode } from './validator-set';

/**
 * The base for the packages built on this one: bytes, canonical reading and writing, strict JSON,
 * errors, labels, networks, addresses. It needs no kernel. Not part of the module that users import.
 */
export {
  addressType,
  checkAddressBytes,
  decodeAddress,
  decodeNetworkAddress,
  encodeAddress,
} from '../text/address.ts';
export {
  compareBytes,
  concatBytes,
  equalBytes,
  expectBytes,
  fromHex,
  toHex,
  wipe,
} from './bytes.ts';
export { ERROR_CODES, type ErrorCode } from './error-codes.ts';
export {
  childPath,
  expectArray,
  Fields,
  parseDecimal,
  type Range,
  U32_MAX,
  U64_MAX,
} from './fields.ts';
export { type Json, type JsonObject, parseJson } from './json.ts';
export { kindOf } from './kind-of.ts';
export { CONTEXTS, type Context, contextBytes, LABELS, type Label } from './labels.ts';
export { expectNetwork, NETWORKS, type Network, trustingPeriodMillis } from './networks.ts';
export { Reader } from './reader.ts';
export { ADDRESS_BYTES, SIGNATURE_BYTES } from './sizes.ts';
export { errorDocs, isRefusal, SvcError } from './svc-error.ts';
export { isHexText } from './text-scan.ts';
export { writeHex } from './write-hex.ts';
export { Writer } from './writer.ts';

/**
 * What the ledger takes from the protocol package, in one place.
 */
export {
  ADDRESS_BYTES,
  addressType,
  CONTEXTS,
  concatBytes,
  decodeAddress,
  encodeAddress,
  expectArray,
  expectNetwork,
  Fields,
  fromHex,
  type Json,
  LABELS,
  type Label,
  NETWORKS,
  type Network,
  parseJson,
  Reader,
  SvcError,
  toHex,
  Writer,
} from 'svc-wasm/base';
export type { ChainRecovery, Operation, OperationOf, OperationType } from 'svc-wasm/protocol';

/**
 * Addresses of the ledger as text of the network.
 */
import { type Address, bytesOf } from 'svc-ledger';
import { encodeAddress, type Network } from 'svc-wasm/base';

export type AddressText = (address: Address) => string;

export function addressTextOf(network: Network): AddressText {
  return (address) => encodeAddress(bytesOf(address), network);
}

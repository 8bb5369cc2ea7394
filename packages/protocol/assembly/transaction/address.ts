/**
 * Addresses as bytes; `docs/protocol.md` 3. A type is known or refused, and the burn address has
 * one form.
 */
import { isZero } from '../codec/compare';
import { BAD_BURN_ADDRESS, OK, UNKNOWN_ADDRESS_TYPE } from '../errors';
import { ADDRESS_BURN, ADDRESS_KEY, ADDRESS_MULTISIG, ID_BYTES } from './layout';

export function addressType(address: usize): i32 {
  return load<u8>(address);
}

export function addressHash(address: usize): usize {
  return address + 1;
}

export function checkAddress(address: usize): i32 {
  const type = addressType(address);
  if (type == ADDRESS_KEY || type == ADDRESS_MULTISIG) return OK;
  if (type != ADDRESS_BURN) return UNKNOWN_ADDRESS_TYPE;
  return isZero(addressHash(address), ID_BYTES) ? OK : BAD_BURN_ADDRESS;
}

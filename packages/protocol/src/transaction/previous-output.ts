/**
 * Outputs that a transaction spends, as JSON and as the 57 bytes that a spend message covers.
 */
import { ADDRESS_BYTES, OUTPUT_BYTES } from '../../assembly/transaction/layout.ts';
import { expectArray, Fields } from '../base/fields.ts';
import type { Json } from '../base/json.ts';
import { parseJson } from '../base/json.ts';
import type { Network } from '../base/networks.ts';
import { SvcError } from '../base/svc-error.ts';
import { ADDRESS_TYPES, decodeAddress } from '../text/address.ts';
import { expectAtoms } from './atoms.ts';

/** More than any manifest allows; the kernel compares the number with the inputs. */
const OUTPUTS_MAX = 256;

/** An address followed by an amount. */
export function previousOutputBytes(address: Uint8Array, amount: bigint): Uint8Array {
  const bytes = new Uint8Array(OUTPUT_BYTES);
  bytes.set(address);
  new DataView(bytes.buffer).setBigUint64(ADDRESS_BYTES, amount, true);
  return bytes;
}

/** The bytes of an output in a document: an address and decimal atoms. */
export function readPreviousOutput(value: Json, network: Network, path: string): Uint8Array {
  const fields = new Fields(value, path, ['address', 'amount']);
  const address = decodeAddress(fields.value('address'), network, fields.at('address'));
  if (address[0] === ADDRESS_TYPES.burn) {
    throw new SvcError('unspendable_output', 'no key can spend from the burn address', {
      path: fields.at('address'),
    });
  }
  return previousOutputBytes(address, expectAtoms(fields, 'amount'));
}

export function parsePreviousOutput(previousOutputJson: string, network: Network): Uint8Array {
  const path = 'previous_output';
  return readPreviousOutput(parseJson(previousOutputJson, path), network, path);
}

/** One output for each input, in the order of the inputs. */
export function parsePreviousOutputs(previousOutputsJson: string, network: Network): Uint8Array[] {
  const path = 'previous_outputs';
  const values = expectArray(parseJson(previousOutputsJson, path), path, OUTPUTS_MAX);
  return values.map((value, i) => readPreviousOutput(value, network, `${path}[${i}]`));
}

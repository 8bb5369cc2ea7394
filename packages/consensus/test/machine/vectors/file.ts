/**
 * Where the frozen vectors of validators lie, and the text that the code makes of them.
 */
import { validatorVectors } from './validator-vectors.ts';

export const VALIDATOR_VECTORS_URL = new URL(
  '../../../../../vectors/validators.json',
  import.meta.url,
);

export function textOfValidatorVectors(): string {
  return `${JSON.stringify(validatorVectors(), null, 2)}\n`;
}

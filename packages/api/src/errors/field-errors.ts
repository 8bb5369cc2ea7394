/**
 * Errors of a single field of a request; `path` says which.
 */
import type { CatalogueEntry } from './catalogue-entry.ts';

function field<const M extends string>(meaning: M) {
  return { status: 400, retry: 'never', meaning } as const;
}

export const FIELD_ERRORS = {
  bad_json: field(
    'The text is not JSON, or is JSON that is refused: duplicate keys, depth, numbers, size.',
  ),
  bad_type: field('A field has another type than the one expected.'),
  missing_field: field('A required field is absent.'),
  unknown_field: field('A field is present that the request does not have.'),
  bad_hex: field('The text is not lower-case hexadecimal of the expected length.'),
  bad_integer: field('The text is not a canonical decimal integer in the expected range.'),
  bad_amount: field('The amount is not a canonical decimal in the expected range.'),
  bad_length: field('A text or byte string has another length than the one expected.'),
  bad_text: field('The text holds characters that are not allowed.'),
  out_of_range: field('A number lies outside the range allowed.'),
  bad_address: field('The address is malformed: checksum, length, type or letter case.'),
  wrong_network: field('The address belongs to another network.'),
  too_few_items: field('The list is shorter than allowed.'),
  too_many_items: {
    ...field('The list is longer than allowed.'),
    hint: 'Split it over several requests.',
  },
  duplicate_item: field('The list names the same thing twice.'),
  unsupported_version: field('The document has a version that this node does not know.'),
  bad_value: field('The value is none of those allowed.'),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

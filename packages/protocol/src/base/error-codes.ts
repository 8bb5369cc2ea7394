/**
 * Every error code of the module, with what it means. A code is never renamed and never reused.
 * Codes that the kernel returns as numbers are tied to them in `kernel/kernel-errors.ts`.
 */
export const ERROR_CODES = {
  not_initialized: 'A function was called before `await init()` had finished.',
  kernel_unavailable: 'The WebAssembly kernel could not be loaded or does not match this release.',
  kernel_trap: 'The kernel stopped on an internal fault; it was restarted and can be used again.',
  freed: 'The wallet root was used after `free()`.',
  bad_json:
    'The text is not JSON, or is JSON that this module refuses (duplicate keys, depth, size).',
  bad_type: 'A field has another type than the one expected.',
  missing_field: 'A required field is absent.',
  unknown_field: 'A field is present that the document does not have.',
  bad_hex: 'The text is not lower-case hexadecimal of the expected length.',
  bad_integer: 'The text is not a canonical decimal integer in the expected range.',
  bad_amount: 'The amount is not a canonical decimal in the expected range.',
  bad_length: 'A byte string has another length than the one expected.',
  bad_text: 'The text holds characters or a length that are not allowed.',
  out_of_range: 'A number lies outside the range the protocol allows.',
  bad_address: 'The address is malformed: checksum, length, type or letter case.',
  wrong_network: 'The address or document belongs to another network.',
  bad_mnemonic: 'The recovery phrase is not 24 valid words.',
  wrong_password: 'The file cannot be opened: the password is wrong or the file is damaged.',
  truncated: 'The bytes end before the last field does.',
  trailing_bytes: 'Bytes follow the last field.',
  not_canonical: 'The value is not written in its one allowed encoding.',
  bad_uri: 'The text is not a payment URI, or one with a key that must be understood and is not.',
  not_provable: 'The ownership of a multisig or burn address cannot be proven.',
  wrong_request: 'The proof or answer belongs to another request.',
  expired: 'The request is past its time.',
  wrong_identity: 'The public key is not the one whose identity was pinned.',
  bad_file: 'The bytes are not a wallet file, or ask for more memory or time than is allowed.',
  bad_payload: 'The payload is not a recipient payload or messenger payload of this release.',
  wrong_party: 'The payload is not meant for this wallet root.',
  bad_signature: 'The signature does not fit the public key and the message.',
  unsupported_version: 'A document or byte string has a version this release does not know.',
} as const satisfies Record<string, string>;

export type ErrorCode = keyof typeof ERROR_CODES;

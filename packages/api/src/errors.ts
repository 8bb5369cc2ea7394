/**
 * The catalogue of errors: status, whether to retry, meaning and hint of every code.
 */
import { type Static, Type } from 'typebox';
import { ApiVersion } from './base/scalars.ts';

/**
 * `never`: the same request will be refused again. `later`: it may be repeated after a while.
 * `same_request_id`: the outcome is unknown; only the very same request is safe.
 */
export type RetryAdvice = 'never' | 'later' | 'same_request_id';

export interface CatalogueEntry {
  readonly status: number;
  readonly retry: RetryAdvice;
  readonly meaning: string;
  readonly hint?: string;
}

function entry(status: number, retry: RetryAdvice, meaning: string, hint?: string): CatalogueEntry {
  return { status, retry, meaning, ...(hint === undefined ? {} : { hint }) };
}

const invalid = (meaning: string) => entry(422, 'never', meaning);

export const BLOCK_ERRORS = {
  late: entry(
    409,
    'never',
    'The block came too late: the registration window of its anchor has closed.',
  ),
  bad_block: invalid('The block breaks a rule of its form.'),
  unknown_anchor: entry(422, 'later', 'The anchor is no finalized cut of this node.'),
  wrong_target: invalid('The block names another target than its anchor sets.'),
  target_missed: invalid('The proof of work does not reach the target.'),
  bad_parents: invalid('A parent is not a block registered in a cut that may be named.'),
  body_used: invalid('The body was used for another block.'),
  block_pool_full: entry(503, 'later', 'Too many blocks wait for a cut.'),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

const field = (meaning: string, hint?: string) => entry(400, 'never', meaning, hint);

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
  too_many_items: field('The list is longer than allowed.', 'Split it over several requests.'),
  duplicate_item: field('The list names the same thing twice.'),
  unsupported_version: field('The document has a version that this node does not know.'),
  bad_value: field('The value is none of those allowed.'),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export const HTTP_ERRORS = {
  bad_request: entry(400, 'never', 'The request is not HTTP/1.1 as this server reads it.'),
  bad_target: entry(
    400,
    'never',
    'The path or query is not in its one plain form.',
    'Send the path as listed at /, without //, dots, or escapes that are not needed.',
  ),
  duplicate_parameter: entry(400, 'never', 'A query parameter occurs twice.'),
  bad_cursor: entry(
    400,
    'never',
    'The cursor is not one that this route gave for this query.',
    'Start again without a cursor.',
  ),
  bad_nonce: entry(
    400,
    'never',
    'The header x-svc-request-nonce is not 64 hexadecimal characters.',
  ),
  host_not_allowed: entry(
    403,
    'never',
    'The Host header names no host that this node serves.',
    'Add the name to the hosts in the configuration of the node.',
  ),
  origin_not_allowed: entry(
    403,
    'never',
    'The web page comes from an origin that the operator has not admitted.',
    'Start the node with --browser-origin and this origin.',
  ),
  unknown_route: entry(404, 'never', 'There is no such route.', 'GET / lists the routes offered.'),
  not_found: entry(404, 'never', 'What was asked for is not known here.'),
  not_yet: entry(404, 'later', 'The height is above the finalized head of this node.'),
  not_kept: entry(
    404,
    'never',
    'This node does not keep data that old.',
    'Ask a node with archive storage.',
  ),
  method_not_allowed: entry(
    405,
    'never',
    'The route has another method; the Allow header names it.',
  ),
  request_timeout: entry(408, 'later', 'The request did not arrive in time.'),
  body_too_large: entry(
    413,
    'never',
    'The body is larger than 128 KiB.',
    'Send fewer items in one request.',
  ),
  unsupported_media_type: entry(
    415,
    'never',
    'The body is not application/json in UTF-8, nor bytes where the route takes them, or it is compressed.',
  ),
  headers_too_large: entry(431, 'never', 'The headers are too large.'),
  too_many_requests: entry(
    429,
    'later',
    'The client address is over its request rate.',
    'Wait for retry_after_millis; batch routes cost less than many single reads.',
  ),
  blocked: entry(
    429,
    'later',
    'The client address went on over its rate and is blocked for a while.',
  ),
  internal_error: entry(500, 'later', 'The node failed to answer.'),
  unavailable: entry(503, 'later', 'The node cannot answer now.'),
  overloaded: entry(503, 'later', 'The node has too much to do.'),
  not_synced: entry(503, 'later', 'The node is behind the network and cannot judge this yet.'),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

const FORM_ERRORS = {
  truncated: invalid('The bytes end before the last field does.'),
  trailing_bytes: invalid('Bytes follow the last field.'),
  not_canonical: invalid('The value is not written in its one allowed encoding.'),
  wrong_chain: invalid('The transaction belongs to another chain.'),
  wrong_protocol_version: invalid('The transaction is bound to another protocol version.'),
  wrong_rules: invalid('The transaction is bound to another rule set.'),
  bad_window: invalid('The validity window ends before it starts or is longer than allowed.'),
  no_inputs: invalid('The transaction spends nothing.'),
  too_many_inputs: invalid('The transaction spends more outputs than the manifest allows.'),
  duplicate_input: invalid('The transaction spends one output twice.'),
  no_outputs: invalid('The transaction has neither an output nor an operation.'),
  too_many_outputs: invalid('The transaction has more outputs than the manifest allows.'),
  zero_amount: invalid('An amount is zero.'),
  amount_too_large: invalid('An amount or a sum of amounts exceeds the maximum supply.'),
  burn_not_allowed: invalid('The burn address cannot own anything: no key signs for it.'),
  unknown_operation: invalid('There is no such operation.'),
  bad_commission: invalid('The commission is above 1,000 basis points or not a multiple of 10.'),
  bad_endpoint: invalid('The overlay endpoint is empty or longer than 1,024 bytes.'),
  payload_too_long: invalid('The payload is longer than the manifest allows.'),
  transaction_too_large: invalid('The transaction is larger than the manifest allows.'),
  bad_repeated_inputs: invalid('The body marks inputs as repeated that have none before them.'),
  unknown_profile: invalid('There is no such witness profile.'),
  bad_policy: invalid('The multisig policy is not 2 of 3 or 3 of 5 keys in ascending order.'),
  bad_signers: invalid('The signers are not exactly as many as the threshold asks for.'),
  wrong_witness_count: invalid('There is not one witness for each input and the operation.'),
  possession_missing: invalid('The operation needs a possession signature.'),
  possession_unexpected: invalid('The transaction takes no possession signature.'),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

const RULE_ERRORS = {
  bad_previous_output: invalid('The previous outputs do not fit the inputs.'),
  unspendable_output: invalid('The output is at the burn address, which no key can spend.'),
  insufficient_inputs: invalid('The inputs are worth less than what the transaction moves.'),
  fee_mismatch: invalid('The inputs do not leave the fee that the body declares.'),
  fee_too_low: {
    ...invalid('The fee is below the minimum fee.'),
    hint: 'Quote the transaction and add the difference.',
  },
  repeated_address: invalid(
    'An input repeats the witness of one that spends from another address.',
  ),
  profile_mismatch: invalid(
    'A witness does not fit the address or the repeated inputs of the body.',
  ),
  key_mismatch: invalid('The public key is not the one the address was made from.'),
  policy_mismatch: invalid('The multisig policy is not the one the address was made from.'),
  key_not_registered: invalid('A witness refers to a public key that the chain does not know.'),
  owner_missing: invalid('The operation needs the address of its owner.'),
  owner_mismatch: invalid('The operation names another owner.'),
  bad_signature: invalid('A signature does not fit the public key and the message.'),
  bad_spend_signature: invalid('A signature does not authorise the spending of an input.'),
  bad_operation_signature: invalid('A signature does not authorise the operation.'),
  bad_possession_signature: invalid('The possession signature is not of the consensus key.'),
  unknown_input: entry(
    422,
    'later',
    'An input is no finalized unspent output.',
    'Outputs can be spent once the transaction that makes them is finalized.',
  ),
  invalid: invalid('The transaction breaks a rule of the ledger.'),
  no_effect: invalid('The operation of the transaction would have no effect.'),
  expired: invalid('The validity window of the transaction has passed.'),
  not_yet_valid: entry(422, 'later', 'The validity window of the transaction has not begun.'),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export const TRANSACTION_ERRORS = {
  ...FORM_ERRORS,
  ...RULE_ERRORS,
  conflict: entry(
    409,
    'never',
    'An input is spent already, finally or by a waiting transaction that this one does not pay enough to replace.',
    'Ask for the status of the transaction; build another only if this one failed finally.',
  ),
  mempool_full: entry(
    503,
    'later',
    'The mempool is full of transactions with a better fee rate.',
    'Wait, or pay more for each unit of mass.',
  ),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export const SOCKET_ERRORS = {
  bad_upgrade: entry(400, 'never', 'The request does not open a WebSocket of version 13.'),
  subprotocol_required: entry(
    400,
    'never',
    'The connection does not name the subprotocol of the endpoint.',
    'Name it in the header Sec-WebSocket-Protocol.',
  ),
  too_many_connections: entry(
    503,
    'later',
    'All sockets are taken, those of this client address or those of the node.',
  ),
  unknown_frame: entry(400, 'never', 'There is no such type of frame.'),
  unexpected_frame: entry(400, 'never', 'This socket takes no frames.'),
  too_many_frames: entry(
    429,
    'later',
    'The connection sends more frames in a second than are allowed.',
    'Wait for retry_after_millis; a client that goes on is disconnected.',
  ),
  unknown_topic: entry(400, 'never', 'There is no such topic.'),
  topic_not_offered: entry(404, 'never', 'The topic exists, and this service does not offer it.'),
  too_many_subscriptions: entry(
    429,
    'later',
    'The connection has all the subscriptions that it may have.',
    'Unsubscribe from another first.',
  ),
  too_many_addresses: entry(
    429,
    'later',
    'The connection watches all the addresses that it may watch.',
    'Unsubscribe others first, or open a second connection.',
  ),
  unknown_subscription: entry(404, 'never', 'The connection has no such subscription.'),
  bad_path: entry(
    400,
    'never',
    'The path is not that of a route in its plain form, of at most 1 KiB.',
  ),
  too_many_in_flight: entry(
    429,
    'later',
    'As many requests of the connection wait for an answer as may.',
  ),
  answer_too_large: entry(
    413,
    'never',
    'The answer is larger than a frame may carry.',
    'Ask for a smaller page, or over HTTP.',
  ),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export type SocketErrorCode = keyof typeof SOCKET_ERRORS;

export const MINING_ERRORS = {
  not_local: entry(
    403,
    'never',
    'The listener serves programs of its own machine alone.',
    'Run the bridge, pool or miner on the machine of the node.',
  ),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export const ERROR_CATALOGUE = {
  ...HTTP_ERRORS,
  ...FIELD_ERRORS,
  ...TRANSACTION_ERRORS,
  ...BLOCK_ERRORS,
  ...SOCKET_ERRORS,
  ...MINING_ERRORS,
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CATALOGUE, code);
}

export function errorEntry(code: ErrorCode): CatalogueEntry {
  return ERROR_CATALOGUE[code];
}

export const ErrorDocument = Type.Object({
  api_version: ApiVersion,
  error: Type.Object({
    code: Type.String({ description: 'Stable, for programs; see the catalogue.' }),
    message: Type.String({ description: 'What was expected and what was found.' }),
    path: Type.Optional(Type.String({ description: 'The field, such as `addresses[3]`.' })),
    hint: Type.Optional(Type.String({ description: 'What helps.' })),
  }),
  retry_after_millis: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Repeat a read after this time.' }),
  ),
});
export type ErrorDocument = Static<typeof ErrorDocument>;

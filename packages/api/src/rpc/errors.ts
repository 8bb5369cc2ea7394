/**
 * Every way in which the wallet daemon refuses a call: the specification's code, whether repeating helps, and a
 * sentence. Programs act on `code` and `retry`; `kind` is stable and names the cause.
 */
export type Retry = 'same_request_id' | 'later' | 'never';

export interface RpcErrorEntry {
  readonly code: number;
  readonly retry: Retry;
  readonly sentence: string;
}

function entry(code: number, retry: Retry, sentence: string): RpcErrorEntry {
  return { code, retry, sentence };
}

export const RPC_ERRORS = {
  parse_error: entry(-32700, 'never', 'The request is not JSON.'),
  invalid_request: entry(
    -32600,
    'never',
    'The request is not a JSON-RPC 2.0 call with an object as params.',
  ),
  unknown_method: entry(-32601, 'never', 'There is no such method.'),
  invalid_params: entry(-32602, 'never', 'A parameter is missing, unknown or of the wrong form.'),
  invalid_address: entry(
    -32602,
    'never',
    'The address is malformed or belongs to another network.',
  ),
  invalid_amount: entry(
    -32602,
    'never',
    'The amount is not a decimal string of coins above zero with at most 8 decimals.',
  ),
  internal: entry(-32603, 'later', 'The daemon failed at this call; its log says why.'),

  node_unreachable: entry(-32001, 'later', 'The node does not answer.'),
  node_busy: entry(-32001, 'later', 'The node asks callers to wait.'),
  node_not_synced: entry(
    -32001,
    'later',
    'The node or the wallet has not caught up with the chain.',
  ),
  node_not_believed: entry(
    -32001,
    'later',
    'What the node says is not signed by the validators that this wallet trusts.',
  ),
  other_history: entry(
    -32001,
    'later',
    'The node serves another history than the one this wallet has followed; nothing is paid or credited until the operator decides.',
  ),
  outcome_unknown: entry(
    -32002,
    'same_request_id',
    'The transaction is made and may be paid; the daemon keeps sending it.',
  ),
  wallet_busy: entry(-32003, 'later', 'Another operation holds the wallet.'),
  busy: entry(
    -32003,
    'later',
    'Too many calls of this WebSocket are being carried out. Nothing was made of this one; repeat it when some of them were answered.',
  ),
  rescanning: entry(
    -32003,
    'later',
    'The wallet reads its history, or has to know more of it before it does this.',
  ),
  recovering: entry(
    -32003,
    'later',
    'The state was restored from a backup; nothing is paid until the chain was read and, if the journal copy is old too, until --accept-state.',
  ),
  node_refused: entry(-32004, 'never', 'The node refused the transaction; it is never sent again.'),

  insufficient_funds: entry(
    -32000,
    'never',
    'The spendable outputs do not cover the amount and the fee.',
  ),
  too_many_inputs: entry(
    -32000,
    'never',
    'The amount needs more outputs than one transaction can spend.',
  ),
  amount_below_fee: entry(-32000, 'never', 'The fee would leave nothing of the amount.'),
  fee_above_cap: entry(-32000, 'never', 'The fee would exceed the most that this wallet pays.'),
  burn_address: entry(
    -32000,
    'never',
    'A payment to the burn address is made with the method burn.',
  ),
  change_address: entry(
    -32000,
    'never',
    "The address is one of this wallet's own for change and takes no payments.",
  ),
  nothing_to_do: entry(-32000, 'never', 'There are no outputs that the call could move.'),
  unknown_address: entry(-32000, 'never', 'The address does not belong to this wallet.'),
  unknown_transaction: entry(-32000, 'never', 'The transaction does not concern this wallet.'),
  unknown_request: entry(
    -32000,
    'never',
    'The wallet has recorded no request of this name; one that is still on its way may yet come.',
  ),
  not_cancellable: entry(
    -32000,
    'never',
    'The payment cannot be cancelled: it is decided, too late, or not made of one transaction.',
  ),
  unknown_position: entry(-32000, 'never', 'No address of this wallet owns the position.'),
  wrong_chain: entry(
    -32000,
    'never',
    'The node serves another chain than the one this wallet belongs to.',
  ),
  not_offered: entry(-32000, 'never', 'The node does not offer the read that the call needs.'),
  proof_refused: entry(-32000, 'never', 'The proof does not answer the request.'),
  cannot_sign: entry(
    -32000,
    'never',
    'The keys of this wallet are elsewhere, or one of them is not enough.',
  ),
  fixed_addresses: entry(
    -32000,
    'never',
    'The addresses of this wallet are fixed: it gives out no others.',
  ),
  not_shared: entry(
    -32000,
    'never',
    'The wallet belongs to one owner; the method is for shared wallets.',
  ),
  package_refused: entry(
    -32000,
    'never',
    'The package is not one that this wallet signs or sends.',
  ),
  read_only: entry(-32000, 'never', 'The token allows reading only.'),
  out_of_scope: entry(-32000, 'never', 'The token does not have the scope that the method needs.'),
  token_revoked: entry(
    -32000,
    'same_request_id',
    'The token was revoked before the call was carried out. This call made nothing; what an earlier call of the same name made goes on. Repeat it with a valid token.',
  ),
  other_budget: entry(
    -32000,
    'never',
    'The payment counts against another budget than that of the token.',
  ),
  payment_limit: entry(-32000, 'never', 'The amount is above what the token may pay at once.'),
  day_limit: entry(
    -32000,
    'later',
    'The payment is above what is left of what the token may spend in a day.',
  ),
  not_allowlisted: entry(-32000, 'never', 'The token may pay the addresses of its allowlist only.'),
  no_socket: entry(-32000, 'never', 'Subscriptions live on the WebSocket at /v1/ws.'),
} as const satisfies Readonly<Record<string, RpcErrorEntry>>;

export type RpcErrorKind = keyof typeof RPC_ERRORS;

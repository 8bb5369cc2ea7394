/**
 * The labels of `H(label, data)` and the context strings of signatures; `docs/protocol.md` 1.1 and
 * 1.2. A label is never a prefix of another one.
 */
export const LABELS = {
  genesis: 'SVC_GENESIS_V1',
  rules: 'SVC_RULES_V1',
  key: 'SVC_KEY_V1',
  multisig: 'SVC_MULTISIG_V1',
  transaction: 'SVC_TX_V1',
  spend: 'SVC_SPEND_V1',
  operation: 'SVC_OPERATION_V1',
  possession: 'SVC_POSSESSION_V1',
  package: 'SVC_PACKAGE_V1',
  block: 'SVC_BLOCK_V1',
  body: 'SVC_BODY_V1',
  parents: 'SVC_PARENTS_V1',
  payee: 'SVC_PAYEE_V1',
  cut: 'SVC_CUT_V1',
  registered: 'SVC_REGISTERED_V1',
  evidence: 'SVC_EVIDENCE_V1',
  outcome: 'SVC_OUTCOME_V1',
  change: 'SVC_CHANGE_V1',
  note: 'SVC_NOTE_V1',
  list: 'SVC_LIST_V1',
  listRoot: 'SVC_LIST_ROOT_V1',
  validatorSet: 'SVC_SET_V1',
  treeKey: 'SVC_TREE_KEY_V1',
  leaf: 'SVC_LEAF_V1',
  node: 'SVC_NODE_V1',
  totals: 'SVC_TOTALS_V1',
  state: 'SVC_STATE_V1',
  payout: 'SVC_PAYOUT_V1',
  position: 'SVC_POSITION_V1',
  validator: 'SVC_VALIDATOR_V1',
  powSeed: 'SVC_POW_SEED_V1',
  words: 'SVC_WORDS_V1',
  addressProof: 'SVC_ADDRESS_PROOF_V1',
  service: 'SVC_SERVICE_V1',
  http: 'SVC_HTTP_V1',
  fingerprint: 'SVC_FINGERPRINT_V1',
  messenger: 'SVC_MESSENGER_V1',
  recovery: 'SVC_RECOVERY_V1',
} as const satisfies Record<string, string>;

export type Label = (typeof LABELS)[keyof typeof LABELS];

export const CONTEXTS = {
  spend: 'svc/spend/v1',
  operation: 'svc/operation/v1',
  possession: 'svc/possession/v1',
  vote: 'svc/vote/v1',
  proposal: 'svc/proposal/v1',
  http: 'svc/http/v1',
  addressProof: 'svc/address-proof/v1',
  overlay: 'svc/overlay/v1',
  recovery: 'svc/recovery/v1',
} as const satisfies Record<string, string>;

export type Context = (typeof CONTEXTS)[keyof typeof CONTEXTS];

const encoder = new TextEncoder();

export function contextBytes(context: Context): Uint8Array {
  return encoder.encode(context);
}

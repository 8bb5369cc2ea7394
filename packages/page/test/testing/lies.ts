/**
 * False answers about what can be proven, and the page's message for each.
 */
import type { AnswerOf } from 'svc-client';
import { fromHex } from 'svc-wasm';
import { decodeOutcomesProof, encodeListProof } from 'svc-wasm/protocol';
import type { Lie } from './lying-proxy.ts';

export type LieScreen = 'overview' | 'cut' | 'transaction' | 'address' | 'validators' | 'economics';

export interface LieCase extends Lie {
  readonly screen: LieScreen;
  /** What the page must say. */
  readonly says: RegExp;
}

/** Another hexadecimal text of the same length. */
function other(hex: string, at = 0): string {
  const place = at < 0 ? hex.length + at : at;
  return `${hex.slice(0, place)}${hex[place] === '0' ? '1' : '0'}${hex.slice(place + 1)}`;
}

/** Where the leaves of a proof begin in its text. A cut may name a transaction more than once, so there may be several. */
function firstLeafOf({ proof_hex }: Outcomes): number {
  return 2 * encodeListProof(decodeOutcomesProof(fromHex(proof_hex)).list).length;
}

function lie<Document>(
  screen: LieScreen,
  name: string,
  where: RegExp,
  says: RegExp,
  change: (document: Document) => unknown,
): LieCase {
  return { screen, name, where, says, change };
}

type Head = AnswerOf<'chainHead'>;
type Certificate = AnswerOf<'cutCertificate'>;
type Sets = AnswerOf<'cutValidators'>;
type Cut = AnswerOf<'cut'>;
type Transaction = AnswerOf<'transaction'>;
type Outcomes = AnswerOf<'proofsOutcomes'>;
type Balance = AnswerOf<'addressBalance'>;
type Proof = AnswerOf<'addressProof'>;
type Utxos = AnswerOf<'addressUtxos'>;
type History = AnswerOf<'addressHistory'>;
type Validators = AnswerOf<'stakingValidators'>;
type Supply = AnswerOf<'economicsSupply'>;
type SupplyProof = AnswerOf<'economicsSupplyProof'>;
type Emission = AnswerOf<'economicsEmission'>;

const HEAD = /^GET \/v1\/chain\/head/;
const CERTIFICATE = /^GET \/v1\/cuts\/\d+\/certificate/;
const SET = /^GET \/v1\/cuts\/\d+\/validators/;
const CUT = /^GET \/v1\/cuts\/\d+$/;
const TRANSACTION = /^GET \/v1\/transactions\/[0-9a-f]{96}$/;
const OUTCOMES = /^POST \/v1\/proofs\/outcomes$/;
const ID_BYTES = 48;
const BALANCE = /^GET \/v1\/address\/\w+\/balance/;
const PROOF = /^GET \/v1\/address\/\w+\/proof/;
const UTXOS = /^GET \/v1\/address\/\w+\/utxos/;
const HISTORY = /^GET \/v1\/address\/\w+\/history/;
const VALIDATORS = /^GET \/v1\/staking\/validators/;
const SUPPLY = /^GET \/v1\/economics\/supply$/;
const SUPPLY_PROOF = /^GET \/v1\/economics\/supply\/proof$/;
const EMISSION = /^GET \/v1\/economics\/emission$/;

export const LIES: readonly LieCase[] = [
  lie<Head>('overview', 'another chain', HEAD, /has pinned chain/, (document) => {
    document.chain_id = other(document.chain_id);
  }),
  lie<Head>('overview', 'an old head', HEAD, /has certified cut \d+ already/, (document) => {
    document.cut.height = 1;
  }),
  lie<Head>(
    'overview',
    'another cut as the head',
    HEAD,
    /not the cut its validators signed/,
    (document) => {
      document.cut.cut_id = other(document.cut.cut_id);
    },
  ),
  lie<Head>(
    'overview',
    'another state root',
    HEAD,
    /not the cut its validators signed/,
    (document) => {
      document.cut.state_root = other(document.cut.state_root);
    },
  ),
  lie<Head>('overview', 'another time of the head', HEAD, /another time/, (document) => {
    document.time_millis += 60_000;
  }),
  lie<Certificate>('overview', 'a forged signature', CERTIFICATE, /contradicts/, (document) => {
    document.certificate_hex = other(document.certificate_hex, -9);
  }),
  lie<Certificate>(
    'overview',
    'a header that was not signed',
    CERTIFICATE,
    /contradicts/,
    (document) => {
      document.header_hex = other(document.header_hex, -1);
    },
  ),
  lie<Certificate>(
    'overview',
    'a certificate without signatures',
    CERTIFICATE,
    /contradicts/,
    (document) => {
      document.certificate_hex = document.certificate_hex.slice(0, -2 * 3_309);
    },
  ),
  lie<Cut>('cut', 'another parent', CUT, /parent: the node says/, ({ cut }) => {
    cut.parent_cut_id = other(cut.parent_cut_id);
  }),
  lie<Cut>('cut', 'another outcome root', CUT, /outcome root: the node says/, ({ cut }) => {
    cut.outcome_root = other(cut.outcome_root);
  }),
  lie<Cut>('cut', 'more registered blocks', CUT, /registered blocks: the node says/, ({ cut }) => {
    cut.registered_work += 1;
  }),
  lie<Cut>('cut', 'an easier target', CUT, /work target: the node says/, ({ cut }) => {
    cut.work_target = 'f'.repeat(64);
  }),
  lie<Transaction>(
    'transaction',
    'a larger output',
    TRANSACTION,
    /outputs shown are not those/,
    (document) => {
      const [first] = document.outputs;
      if (first !== undefined) first.amount = '999999999999';
    },
  ),
  lie<Transaction>(
    'transaction',
    'a payment to another address',
    TRANSACTION,
    /outputs shown are not those/,
    (document) => {
      const [first, second] = document.outputs;
      if (first !== undefined && second !== undefined) first.address = second.address;
    },
  ),
  lie<Transaction>(
    'transaction',
    'bytes of another transaction',
    TRANSACTION,
    /contradicts/,
    (document) => {
      document.wire_hex = other(document.wire_hex, 60);
    },
  ),
  lie<Transaction>(
    'transaction',
    'a failure that was none',
    TRANSACTION,
    /the node says failed/,
    (document) => {
      document.status.lifecycle = 'failed';
      document.status.failure = 'conflict';
    },
  ),
  lie<Transaction>('transaction', 'another fee', TRANSACTION, /a fee of 7 atoms/, (document) => {
    document.fee = '7';
  }),
  lie<Outcomes>(
    'transaction',
    'another transaction in the cut',
    OUTCOMES,
    /the proof leads to another root/,
    (document) => {
      document.proof_hex = other(document.proof_hex, firstLeafOf(document));
    },
  ),
  lie<Outcomes>(
    'transaction',
    'another outcome in the cut',
    OUTCOMES,
    /a leaf has code 0/,
    (document) => {
      document.proof_hex = other(document.proof_hex, firstLeafOf(document) + 2 * ID_BYTES + 1);
    },
  ),
  lie<Balance>('address', 'a larger balance', BALANCE, /atoms, proven are/, (document) => {
    document.balance = String(BigInt(document.balance) + 1n);
  }),
  lie<Balance>(
    'address',
    'a hidden output in the count',
    BALANCE,
    /outputs, proven are/,
    (document) => {
      document.utxos -= 1;
    },
  ),
  lie<Proof>('address', 'a proof with a changed amount', PROOF, /contradicts/, (document) => {
    document.proof_hex = other(document.proof_hex, Math.floor(document.proof_hex.length / 2));
  }),
  lie<Proof>('address', 'a proof that is cut short', PROOF, /contradicts/, (document) => {
    document.proof_hex = document.proof_hex.slice(0, -96);
  }),
  lie<Utxos>(
    'address',
    'a list that leaves an output out',
    UTXOS,
    /list of outputs leaves out/,
    (document) => {
      document.utxos.pop();
    },
  ),
  lie<Utxos>(
    'address',
    'a list with another amount',
    UTXOS,
    /the list says 1 atoms/,
    (document) => {
      const [first] = document.utxos;
      if (first !== undefined) first.amount = '1';
    },
  ),
  lie<History>(
    'address',
    'a history that hides a deposit',
    HISTORY,
    /history hides the receipt/,
    (document) => {
      document.events = document.events.filter(({ kind }) => kind !== 'received');
    },
  ),
  lie<Sets>('validators', 'a set with another key', SET, /contradicts/, (document) => {
    document.validator_set_hex = other(document.validator_set_hex, -20);
  }),
  lie<Validators>(
    'validators',
    'a list that hides a member',
    VALIDATORS,
    /leaves out/,
    (document) => {
      document.validators.pop();
    },
  ),
  lie<Validators>(
    'validators',
    'a list with a member too many',
    VALIDATORS,
    /does not sign/,
    (document) => {
      const [first] = document.validators;
      if (first !== undefined) {
        document.validators.push({ ...first, validator: other(first.validator) });
      }
    },
  ),
  lie<Supply>(
    'economics',
    'coins burned that were not',
    SUPPLY,
    /^.*burned: the node/,
    (supply) => {
      supply.burned = String(BigInt(supply.burned) + 1n);
      supply.circulating_supply = String(BigInt(supply.circulating_supply) - 1n);
    },
  ),
  lie<Supply>('economics', 'a larger maximum', SUPPLY, /the most there may be/, (supply) => {
    supply.max_supply = `${supply.max_supply}0`;
  }),
  lie<Emission>('economics', 'more to come', EMISSION, /to come: the node says/, (emission) => {
    emission.to_come = String(BigInt(emission.to_come) + 1n);
  }),
  lie<SupplyProof>(
    'economics',
    'totals that were not signed',
    SUPPLY_PROOF,
    /do not lead/,
    (proof) => {
      proof.proof_hex = other(proof.proof_hex, 2 * (1 + 4 * 64 + 8));
    },
  ),
  lie<SupplyProof>(
    'economics',
    'a proof that is cut short',
    SUPPLY_PROOF,
    /do not lead/,
    (proof) => {
      proof.proof_hex = proof.proof_hex.slice(0, -2);
    },
  ),
];

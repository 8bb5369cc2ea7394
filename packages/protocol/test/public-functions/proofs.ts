/** What a light client checks: certificates, proofs and a new validator set, made by the published layouts. */
import type { Kernel, PublicCheck } from './check.ts';
import { bytesOf, document, equal, hex, integer, refuses, unhex } from './check.ts';
import { CHAIN_ID, NETWORK, withWallet } from './fixture.ts';

const TIME = 1_800_000_000_000n;
const ZEROS = new Uint8Array(48);
/** Offsets of fields in the header of a cut. */
const HEIGHT_AT = 56;
const TIME_AT = 162;

/** A committee of one, its cut at height 10, and the certificate. */
function signedCut(
  kernel: Kernel,
  roots: Partial<
    Record<'stateRoot' | 'historyRoot' | 'outcomeRoot' | 'changesRoot', Uint8Array>
  > = {},
) {
  const {
    stateRoot = ZEROS,
    historyRoot = ZEROS,
    outcomeRoot = ZEROS,
    changesRoot = ZEROS,
  } = roots;
  const { publicKey, secretKey } = kernel.mlDsa65.keygen(new Uint8Array(32).fill(5));
  const set = bytesOf(Uint8Array.of(1), ZEROS, publicKey, integer(100, 8));
  const setId = kernel.sha384(bytesOf('SVC_SET_V1', set));
  const header = bytesOf(
    ...[integer(1, 4), integer(1, 4), unhex(CHAIN_ID), integer(10, 8), ZEROS, historyRoot],
    ...[integer(0, 2), integer(TIME, 8), setId, setId, integer(0, 4), integer(1, 8)],
    ...[ZEROS, integer(0, 4), integer(0, 4), ZEROS, outcomeRoot, changesRoot, stateRoot],
    ...[new Uint8Array(32)],
  );
  const cutId = kernel.sha384(bytesOf('SVC_CUT_V1', header));
  const place = bytesOf(integer(10, 8), integer(0, 4));
  const signed = bytesOf(
    ...[unhex(CHAIN_ID), setId, Uint8Array.of(2), place, integer(0xffff_ffff, 4)],
    ...[Uint8Array.of(1), cutId],
  );
  const context = new TextEncoder().encode('svc/vote/v1');
  const signature = kernel.mlDsa65.sign(secretKey, signed, { context });
  const certificate = bytesOf(place, cutId, setId, integer(1, 8), signature);
  return { set, header, certificate, cutId: hex(cutId) };
}

const cuts: PublicCheck = {
  functions: ['certifyCut', 'verifyCutCertificate', 'advanceValidatorSet'],
  run: (svc, kernel) => {
    const { set, header, certificate, cutId } = signedCut(kernel);
    const chainId = unhex(CHAIN_ID);
    const verified = svc.verifyCutCertificate(header, certificate, set, chainId);
    equal(document(verified)['cut_id'], cutId, 'cut id');
    const certified = svc.certifyCut(header, certificate, set, chainId);
    equal(certified.stateRoot, hex(ZEROS), 'state root');
    const trusted = JSON.stringify({
      api_version: 1,
      network: NETWORK,
      chain_id: CHAIN_ID,
      height: '9',
      time: String(TIME - 2500n),
      cut_id: hex(ZEROS),
      validator_set: hex(set),
    });
    const advanced = svc.advanceValidatorSet(trusted, header, certificate, set, String(TIME));
    equal(document(advanced)['height'], '10', 'height');
    const forged = certificate.map((byte, at) => (at === 200 ? byte ^ 1 : byte));
    refuses(svc, 'bad_signature', () => svc.verifyCutCertificate(header, forged, set, chainId));
    return [verified, hex(kernel.sha384(new TextEncoder().encode(advanced)))];
  },
};

const proofs: PublicCheck = {
  functions: [
    ...['checkUtxoProof', 'verifyUtxoProof'],
    ...['checkAddressCompleteness', 'verifyAddressCompleteness'],
  ],
  run: (svc, kernel) =>
    withWallet(svc, ({ publicKeys, addresses: [address = ''] }) => {
      const owner = kernel.sha384(bytesOf('SVC_KEY_V1', publicKeys[0] as Uint8Array));
      const addressBytes = bytesOf(Uint8Array.of(0), owner);
      const outpoint = bytesOf(ZEROS, integer(3, 4));
      const value = bytesOf(outpoint, addressBytes, integer(500, 8));
      const half = (data: Uint8Array) =>
        kernel.sha384(bytesOf('SVC_TREE_KEY_V1', data)).slice(0, 32);
      const leaf = bytesOf(
        'SVC_LEAF_V1',
        Uint8Array.of(1),
        half(addressBytes),
        half(outpoint),
        value,
      );
      const tree = bytesOf(kernel.sha384(leaf), integer(500, 8), integer(1, 8));
      const others = new Uint8Array(240);
      const root = kernel.sha384(bytesOf('SVC_STATE_V1', tree, others));
      const version = Uint8Array.of(1);
      const noPath = Uint8Array.of(0);
      const utxo = bytesOf(version, value, noPath, others);
      const { header, certificate, set } = signedCut(kernel, { stateRoot: root });
      const cut = svc.certifyCut(header, certificate, set, unhex(CHAIN_ID));
      const asked = JSON.stringify({ transaction_id: hex(ZEROS), output_index: '3' });
      const proven = svc.verifyUtxoProof(utxo, cut, asked, NETWORK);
      const typed = svc.checkUtxoProof(utxo, cut, hex(ZEROS), 3, NETWORK);
      equal(String(typed.addressBalance), '500', 'balance');
      equal(document(proven)['address_balance'], '500', 'balance');
      const entry = bytesOf(outpoint, integer(500, 8));
      const all = bytesOf(version, addressBytes, Uint8Array.of(1), entry, noPath, others);
      const complete = svc.verifyAddressCompleteness(all, cut, address);
      equal(String(svc.checkAddressCompleteness(all, cut, address).balance), '500', 'balance');
      equal(document(complete)['balance'], '500', 'balance');
      const none = bytesOf(version, addressBytes, Uint8Array.of(0, 0), noPath, others);
      refuses(svc, 'wrong_state_root', () => svc.verifyAddressCompleteness(none, cut, address));
      return [proven, complete];
    }),
};

/** The cut before the signed one: the tenth of ten ids, beside it the ninth, before both a tree of eight. */
const earlier: PublicCheck = {
  functions: ['certifyEarlierCuts'],
  run: (svc, kernel) => {
    const before = signedCut(kernel).header;
    before.set(integer(9, 8), HEIGHT_AT);
    const id = kernel.sha384(bytesOf('SVC_CUT_V1', before));
    const [eight, ninth] = [new Uint8Array(48).fill(1), new Uint8Array(48).fill(2)];
    const node = (left: Uint8Array, right: Uint8Array) =>
      kernel.sha384(bytesOf('SVC_LIST_V1', left, right));
    const tree = node(eight, node(ninth, id));
    const historyRoot = kernel.sha384(bytesOf('SVC_LIST_ROOT_V1', integer(10, 8), tree));
    const { header, certificate, set } = signedCut(kernel, { historyRoot });
    const cut = svc.certifyCut(header, certificate, set, unhex(CHAIN_ID));
    const positions = bytesOf(integer(10, 8), Uint8Array.of(1), integer(9, 8));
    const proof = bytesOf(Uint8Array.of(1), positions, Uint8Array.of(2), eight, ninth);
    const [proven] = svc.certifyEarlierCuts(cut, [before], proof);
    equal([String(proven?.height), proven?.cutId], ['9', hex(id)], 'earlier cut');
    const other = before.map((byte, at) => (at === TIME_AT ? byte ^ 1 : byte));
    refuses(svc, 'wrong_list_root', () => svc.certifyEarlierCuts(cut, [other], proof));
    return [hex(id), proven?.stateRoot ?? ''];
  },
};

/** A cut that one transaction was executed in, and one output came with: lists of one leaf each. */
const cutLists: PublicCheck = {
  functions: ['checkCutChanges', 'checkCutOutcomes'],
  run: (svc, kernel) =>
    withWallet(svc, ({ publicKeys, addresses }) => {
      const [payee = '', other = ''] = addresses;
      const owner = kernel.sha384(bytesOf('SVC_KEY_V1', publicKeys[0] as Uint8Array));
      const address = bytesOf(Uint8Array.of(0), owner);
      const id = new Uint8Array(48).fill(3);
      const codes = Uint8Array.of(1, 1);
      const change = bytesOf(address, integer(0, 4), codes, integer(500, 8), id, integer(0, 4), id);
      const one = Uint8Array.of(1);
      const outcome = bytesOf(id, one, integer(10, 8), ZEROS, one, address);
      const rootOf = (label: string, leaf: Uint8Array) => {
        const tree = kernel.sha384(bytesOf(label, leaf));
        return kernel.sha384(bytesOf('SVC_LIST_ROOT_V1', integer(1, 8), tree));
      };
      const changesRoot = rootOf('SVC_CHANGE_V1', change);
      const outcomeRoot = rootOf('SVC_OUTCOME_V1', outcome);
      const { header, certificate, set } = signedCut(kernel, { changesRoot, outcomeRoot });
      const cut = svc.certifyCut(header, certificate, set, unhex(CHAIN_ID));
      const first = bytesOf(one, integer(1, 8), one, integer(0, 8), Uint8Array.of(0));
      const changes = svc.checkCutChanges(bytesOf(first, change), cut, [payee, other]);
      const received = changes.get(payee)?.map(({ kind, amount }) => [kind, String(amount)]);
      equal(received, [['received', '500']], 'changes');
      equal(changes.get(other), [], 'changes of another address');
      const [proven] = svc.checkCutOutcomes(bytesOf(first, outcome), cut, NETWORK);
      const found = [proven?.outcome, String(proven?.fee), proven?.payers];
      equal(found, ['finalized', '10', [payee]], 'outcome');
      const [richer, dearer] = [change, outcome].map((leaf) =>
        bytesOf(
          first,
          leaf.map((byte, at) => (at === 56 ? byte ^ 1 : byte)),
        ),
      );
      refuses(svc, 'wrong_list_root', () =>
        svc.checkCutChanges(richer as Uint8Array, cut, [payee]),
      );
      refuses(svc, 'wrong_list_root', () =>
        svc.checkCutOutcomes(dearer as Uint8Array, cut, NETWORK),
      );
      return [hex(changesRoot), hex(outcomeRoot)];
    }),
};

export const proofChecks: readonly PublicCheck[] = [cuts, earlier, cutLists, proofs];

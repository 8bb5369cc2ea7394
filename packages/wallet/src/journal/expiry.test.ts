/** Nodes that lie about what is unspent, so that the wallet would pay a second time. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, temporaryDirectory } from 'svc-base/testing';
import { type Client, ClientError } from 'svc-client';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { encodeOutputProof, trustedSetJson } from 'svc-wasm/protocol';
import { ReferenceTree } from 'svc-wasm/testing';
import {
  CHAIN_ID,
  type Committee,
  committee,
  NETWORK,
  signedCut,
  TIME,
  ZEROS,
} from '../../test/testing/certified-cuts.ts';
import { TrustedChain } from '../node/trusted-chain.ts';
import type { JournalTransaction } from '../state/journal.ts';
import { openState, type State } from '../state/open-state.ts';
import { settleExpired } from './expiry.ts';

await init();

const HEIGHT = 100;
const ROOTS = {
  positions: new Uint8Array(64),
  validators: new Uint8Array(64),
  keys: new Uint8Array(64),
  totalsRoot: ZEROS,
};
const HELD = {
  transactionId: ZEROS,
  outputIndex: 0,
  address: new Uint8Array(49),
  amount: 5n,
};
/** A state in which the wallet's output is unspent, whatever the chain says. */
const TREE = new ReferenceTree([HELD], ROOTS);

const TRUSTED = committee(1);
const STRANGER = committee(2);

interface Node {
  /** Who signs the cut that the proof leads to. */
  readonly signers?: Committee;
  /** What its header names as the state, and the answer as its own. */
  readonly signedRoot?: Uint8Array;
  readonly lacks?: 'proofs' | 'certificates';
  readonly height?: number;
  readonly time?: number;
  readonly proves?: string;
}

function clientOf(node: Node): Client {
  const { signers = TRUSTED, signedRoot = TREE.stateRoot, lacks, height = HEIGHT, proves } = node;
  const proof = toHex(encodeOutputProof(TREE.proveOutput(HELD)));
  const missing = () => {
    throw new ClientError('refused', 'no such route', { status: 404, code: 'unknown_route' });
  };
  const client = {
    proofsUtxos: async () => {
      if (lacks === 'proofs') missing();
      const cut = { height, state_root: toHex(TREE.stateRoot) };
      const proofs = [{ included: true, proof_hex: proves ?? proof }];
      return { finalized_height: height, cut, proofs };
    },
    cutCertificate: async () => {
      if (lacks === 'certificates') missing();
      const time = node.time ?? TIME + height;
      return signedCut({ height, time, signers, stateRoot: signedRoot });
    },
    cutValidators: async () => ({ validator_set_hex: toHex(signers.encoded) }),
  };
  return client as unknown as Client;
}

/** A wallet that trusts a validator, and a transaction of it whose time has passed. */
function walletOf(t: TestContext): { state: State; transaction: JournalTransaction } {
  const identity = { fingerprint: '00112233aabbccdd', network: NETWORK };
  const state = openState(join(temporaryDirectory(t), 'wallet'), identity, 'test');
  t.after(() => state.close());
  state.meta.set('chain_id', toHex(CHAIN_ID));
  const { encoded: encodedSet } = TRUSTED;
  const trusted = { network: NETWORK, chainId: CHAIN_ID, height: 50n, cutId: ZEROS } as const;
  const time = BigInt(TIME);
  state.meta.set('trusted_validators', trustedSetJson({ ...trusted, time, encodedSet }));
  const owner = state.addresses.add(0, 0, 'address-0', true);
  const output = { transactionId: toHex(ZEROS), outputIndex: 0, addressId: owner, amount: 5n };
  const senders = 'not_kept' as const;
  const details = { payloadText: null, payloadHex: null, senders, isMessenger: false };
  state.outputs.receive({ ...output, ...details, source: 'regular', height: 1 }, 1);
  const request = state.journal.addRequest(
    { requestId: 'r', method: 'send', params: '{}', isAutomatic: false, createdAtMillis: 1 },
    'built',
  );
  const id = state.journal.addTransaction({
    request,
    kind: 'payment',
    transactionId: 'ab'.repeat(48),
    wire: new Uint8Array(3),
    validUntil: 60,
    amount: 1n,
    fee: 1n,
    recipients: '[]',
    createdAtMillis: 1,
  });
  const held = state.outputs.find(toHex(ZEROS), 0);
  state.outputs.reserve([held?.id as number], id);
  return { state, transaction: state.journal.transaction(id) };
}

async function outcomeOf(t: TestContext, node: Node, now = TIME + 1_000): Promise<string | null> {
  const { state, transaction } = walletOf(t);
  const client = clientOf(node);
  const clock = new ManualClock(now);
  const ports = { client, network: NETWORK, clock, log: SILENT_LOG } as const;
  const trust = new TrustedChain({ ...ports, meta: state.meta });
  await settleExpired({ ...ports, state, trust }, transaction, HEIGHT);
  return state.journal.transaction(transaction.id).outcome;
}

test('a transaction is settled as expired where trusted validators signed the state that frees it', async (t) => {
  assert.equal(await outcomeOf(t, {}), 'expired');
});

test('an invented state settles nothing', async (t) => {
  const other = new Uint8Array(48).fill(9);
  const lies: Record<string, Node> = {
    'signed by validators that the node invents': { signers: STRANGER },
    'beside a certified cut with another state': { signedRoot: other },
    'without certificates': { lacks: 'certificates' },
    'without proofs': { lacks: 'proofs' },
    'at a cut before the end of the validity': { height: 59 },
    'with a proof of another output': {
      proves: toHex(
        encodeOutputProof(
          new ReferenceTree([{ ...HELD, outputIndex: 1 }], ROOTS).proveOutput({
            ...HELD,
            outputIndex: 1,
          }),
        ),
      ),
    },
    'with bytes that are no proof': { proves: '00' },
  };
  for (const [what, node] of Object.entries(lies)) {
    assert.equal(await outcomeOf(t, node), null, what);
  }
});

test('trust that ended is begun anew at a start, and never while the wallet runs', async (t) => {
  const { state } = walletOf(t);
  const clock = new ManualClock(TIME + 1_000);
  const ports = { network: NETWORK, meta: state.meta, clock, log: SILENT_LOG } as const;
  const late = TIME + 10 * 3_600_000;
  const invented = clientOf({ signers: STRANGER, height: 200, time: late });
  const honest = clientOf({});
  let client = honest;
  const changing = {
    cutCertificate: (input: { height: number }) => client.cutCertificate(input),
    cutValidators: (input: { height: number }) => client.cutValidators(input),
  };
  const running = new TrustedChain({ ...ports, client: changing });
  assert.equal((await running.certify(HEIGHT)).height, BigInt(HEIGHT));
  client = invented;
  await assert.rejects(running.certify(200), { code: 'wrong_validator_set' });
  const start = () => new TrustedChain({ ...ports, client: changing });
  await assert.rejects(start().certify(200), { code: 'wrong_validator_set' });
  clock.advance(late - clock.now());
  await assert.rejects(running.certify(200), { code: 'trust_expired' });
  assert.equal((await start().certify(200)).height, 200n);
});

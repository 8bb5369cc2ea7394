/**
 * A node over HTTP of a network whose validators nobody can know from it: its cuts, certificates and proofs are real, and
 * made here by a committee. It serves what a wallet that receives needs, and certificates as a test tells it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeAddress, fromHex, toHex } from 'svc-wasm/base';
import {
  createManifest,
  decodeCutHeader,
  encodeChangeLeaves,
  encodeCompletenessProof,
  rootOfList,
} from 'svc-wasm/protocol';
import { ReferenceTree } from 'svc-wasm/testing';
import {
  CHAIN_ID,
  type Committee,
  type CutFields,
  NETWORK,
  type SignedCut,
  signedCut,
  ZEROS,
} from './certified-cuts.ts';

const ROOTS = {
  positions: new Uint8Array(64),
  validators: new Uint8Array(64),
  keys: new Uint8Array(64),
  totalsRoot: ZEROS,
};
const CUT_MILLIS = 2_500;
const SUMMARY = { proposer: 0, registered_work: 0, executed_work: 0, transactions: 0 };
const DETAILS = { epoch: 0, previous_round: 0, previous_signers: [0], changes: 0 };
const LISTS = { rewards: [], stake_payouts: [], burns: [] };

interface Deposit {
  readonly transactionId: Uint8Array;
  readonly outputIndex: number;
  readonly text: string;
  readonly address: Uint8Array;
  readonly amount: bigint;
  readonly height: number;
}

/** How the node shows the cut of a height; `honest` is the one that its committee signed. */
export type ShownCut = (
  honest: SignedCut,
  sign: (changed: Partial<CutFields>) => SignedCut,
  height: number,
) => SignedCut;

export class SigningNode {
  readonly #server: Server;
  #committee: Committee;
  readonly #startMillis = Date.now() - 3_600_000;
  readonly #cuts: SignedCut[] = [];
  readonly #deposits: Deposit[] = [];
  /** The set that the node names for each cut. */
  namedSet: Committee;
  shows: ShownCut = (honest) => honest;

  static async start(committee: Committee): Promise<SigningNode> {
    const node = new SigningNode(committee);
    await new Promise<void>((resolve) => node.#server.listen(0, '127.0.0.1', resolve));
    return node;
  }

  private constructor(committee: Committee) {
    this.#committee = committee;
    this.namedSet = committee;
    this.#server = createServer((request, response) => {
      void this.#answer(request, response).catch(() => response.destroy());
    });
    this.makeCut();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get height(): number {
    return this.#cuts.length;
  }

  /** The id of the cut of a height, as the committee signed it. */
  cutId(height: number): string {
    return (this.#cuts[height - 1] as SignedCut).cut_id;
  }

  /** Cuts from here on are signed by another committee, which no cut before has named. */
  continueWith(committee: Committee): void {
    this.#committee = committee;
    this.namedSet = committee;
  }

  timeOf(height: number): number {
    return this.#startMillis + height * CUT_MILLIS;
  }

  makeCut(): void {
    this.#cuts.push(this.#sign(this.height + 1, {}));
  }

  /** A payment that the next cut executes. */
  pay(text: string, amount: bigint): void {
    const height = this.height + 1;
    const transactionId = new Uint8Array(48).fill(height);
    const address = decodeAddress(text, NETWORK);
    this.#deposits.push({ transactionId, outputIndex: 0, text, address, amount, height });
    this.makeCut();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #sign(height: number, changed: Partial<CutFields>): SignedCut {
    const parent = this.#cuts[height - 2]?.cut_id;
    return signedCut({
      height,
      time: this.timeOf(height),
      signers: this.#committee,
      stateRoot: this.#treeAt(height).stateRoot,
      parentCutId: parent === undefined ? ZEROS : fromHex(parent),
      changesRoot: rootOfList('change', this.#leavesOf(height)),
      ...changed,
    });
  }

  #treeAt(height: number): ReferenceTree {
    const held = { transactionId: ZEROS, outputIndex: 0, address: new Uint8Array(49), amount: 5n };
    const there = this.#deposits.filter((deposit) => deposit.height <= height);
    return new ReferenceTree([held, ...there], ROOTS);
  }

  #shown(height: number): SignedCut {
    const honest = this.#cuts[height - 1] as SignedCut;
    return this.shows(honest, (changed) => this.#sign(height, changed), height);
  }

  #reference(height: number) {
    const { cut_id, header_hex } = this.#shown(height);
    const state_root = toHex(decodeCutHeader(fromHex(header_hex)).stateRoot);
    return { height, cut_id, state_root, validator_set_id: toHex(this.namedSet.id) };
  }

  /** The leaves of a cut, which has one payment at most. */
  #leavesOf(height: number): Uint8Array[] {
    const deposits = this.#deposits.filter((deposit) => deposit.height === height);
    return encodeChangeLeaves(
      deposits.map(({ address, amount, transactionId }, index) => ({
        ...{ index, kind: 'received', source: 'regular', amount, address: toHex(address) },
        outpoint: `${toHex(transactionId)}00000000`,
        transactionId: toHex(transactionId),
      })),
    );
  }

  #holdings(address: string) {
    const { height } = this;
    const proof = this.#treeAt(height).proveCompleteness(decodeAddress(address, NETWORK));
    const proof_hex = toHex(encodeCompletenessProof(proof));
    const { header_hex } = this.#shown(height);
    return { address, cut: this.#reference(height), header_hex, proof_hex };
  }

  #cutDocument(height: number, part: string | undefined): object | undefined {
    if (height > this.height) return undefined;
    const { certificate_hex, header_hex } = this.#shown(height);
    const reference = this.#reference(height);
    const header = decodeCutHeader(fromHex(header_hex));
    switch (part) {
      case 'certificate':
        return { ...reference, round: 0, signers: [0], header_hex, certificate_hex };
      case 'validators': {
        const validator_set_hex = toHex(this.namedSet.encoded);
        return { ...reference, total_stake: '3', validators: [], validator_set_hex };
      }
      case 'leaves': {
        const leaves = this.#leavesOf(height);
        const leaves_base64 = Buffer.concat(leaves).toString('base64');
        return { height, cut_id: reference.cut_id, count: leaves.length, leaves_base64 };
      }
      case undefined: {
        const ids = {
          parent_cut_id: toHex(header.parentCutId),
          next_validator_set_id: toHex(header.nextValidatorSetId),
          outcome_root: toHex(header.outcomeRoot),
        };
        const work_target = toHex(header.workTarget);
        const told = { time_millis: Number(header.time), header_hex, work_target };
        return { cut: { ...reference, ...SUMMARY, ...DETAILS, ...LISTS, ...ids, ...told } };
      }
      default:
        return undefined;
    }
  }

  #document(path: string, body: Record<string, unknown>): object | undefined {
    const [, height, part] = /^\/v1\/cuts\/(\d+)(?:\/([a-z]+))?$/.exec(path) ?? [];
    if (height !== undefined) return this.#cutDocument(Number(height), part);
    const [, address] = /^\/v1\/address\/([a-z0-9]+)\/proof$/.exec(path) ?? [];
    if (address !== undefined) return this.#holdings(address);
    const addresses = (body['addresses'] ?? []) as string[];
    switch (path) {
      case '/v1/transactions/manifest':
        return JSON.parse(createManifest(NETWORK, CHAIN_ID, {}).json) as object;
      case '/v1/node/sync':
        return { synced: true, best_peer_height: null, behind_by: 0, peers: 0 };
      case '/v1/address/changes':
        return { changes: [] };
      case '/v1/address/utxos':
        return {
          addresses: addresses.map((address) => ({ address, utxos: [], truncated: false })),
        };
      case '/v1/mempool/pending':
        return { transactions: [], truncated: false };
      default:
        return undefined;
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    const found = this.#document(request.url?.split('?')[0] ?? '', body);
    const { height } = this;
    const heights = { api_version: 1, finalized_height: height, indexed_height: height };
    const missing = { api_version: 1, error: { code: 'not_found', message: 'not here' } };
    const isManifest = request.url === '/v1/transactions/manifest';
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isManifest ? found : found ? { ...heights, ...found } : missing));
  }
}

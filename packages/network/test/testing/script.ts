/**
 * A small chain of real bytes: headers that link, certificates that validators signed, blocks with
 * transactions. Its state is a hash of everything before, so that executing a wrong body shows.
 */
import {
  assembleTransaction,
  burnAddress,
  encodeTransactionBody,
  encodeWitnessWithProfile,
} from 'svc-wasm';
import { CONTEXTS, concatBytes, contextBytes, LABELS, toHex } from 'svc-wasm/base';
import { type KeyPair, mlDsa65, sha384 } from 'svc-wasm/kernel';
import {
  createManifest,
  cutId,
  decodeTransaction,
  decodeValidatorSet,
  encodeBlockBody,
  encodeBlockHeader,
  encodeCertificate,
  encodeCutBody,
  encodeCutHeader,
  encodeExtranonce,
  encodeValidatorSet,
  evidenceRoot,
  hashLabel,
  type Manifest,
  registeredRoot,
  signersOf,
  type ValidatorSet,
  voteSignBytes,
} from 'svc-wasm/protocol';
import type { BlockBytes } from '../../src/application.ts';

const encoder = new TextEncoder();

export function bytesFrom(seed: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0, block = 0; at < length; at += 48, block++)
    bytes.set(sha384(encoder.encode(`${seed}/${block}`)).subarray(0, length - at), at);
  return bytes;
}

export interface Payment {
  readonly id: string;
  readonly wire: Uint8Array;
}

/** A well-formed transaction whose signature is noise: about 3.6 kB, as a payment with a known key has. */
export function payment(manifest: Manifest, seed: string): Payment {
  const request = {
    valid_from_height: '0',
    valid_until_height: '90',
    inputs: [{ transaction_id: toHex(bytesFrom(`${seed}/input`, 48)), output_index: '0' }],
    outputs: [{ address: burnAddress('development'), amount: '1000' }],
    payload_hex: '',
  };
  const body = encodeTransactionBody(JSON.stringify(request), manifest.json);
  const witness = encodeWitnessWithProfile('referenced', null, bytesFrom(`${seed}/sig`, 3_309));
  const wire = assembleTransaction(body, [witness], manifest.json);
  return { id: toHex(decodeTransaction(wire, manifest).id), wire };
}

export interface ScriptedCut {
  readonly height: number;
  readonly id: string;
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  readonly certificate: Uint8Array;
  readonly blocks: readonly BlockBytes[];
}

export interface ScriptOptions {
  readonly seed: string;
  readonly validators?: number;
  /** Cuts after which another set of validators signs. */
  readonly epochCuts?: number;
  readonly blocksPerCut?: number;
  readonly paymentsPerBlock?: number;
}

interface Committee {
  readonly set: ValidatorSet;
  readonly keys: readonly KeyPair[];
}

export const GENESIS_TIME = 1_700_000_000_000;

/** Makes cuts one after another. */
export class ChainScript {
  readonly manifest: Manifest;
  readonly cuts: ScriptedCut[] = [];
  readonly sets = new Map<string, Uint8Array>();
  readonly #options: Required<ScriptOptions>;
  readonly #committees = new Map<number, Committee>();
  #stateRoot = new Uint8Array(48);

  constructor(options: ScriptOptions) {
    this.#options = {
      validators: 4,
      epochCuts: 1_000,
      blocksPerCut: 1,
      paymentsPerBlock: 1,
      ...options,
    };
    this.manifest = createManifest('development', bytesFrom(`${options.seed}/chain`, 48));
  }

  committee(height: number): Committee {
    const epoch = Math.floor((height - 1) / this.#options.epochCuts);
    const existing = this.#committees.get(epoch);
    if (existing !== undefined) return existing;
    const members = Array.from({ length: this.#options.validators }, (_, index) => ({
      id: bytesFrom(`${this.#options.seed}/${epoch}/${index}/id`, 48),
      key: mlDsa65.keygen(bytesFrom(`${this.#options.seed}/${epoch}/${index}`, 32)),
    })).sort((a, b) => (toHex(a.id) < toHex(b.id) ? -1 : 1));
    const encoded = encodeValidatorSet(
      members.map(({ id, key }) => ({ id, publicKey: key.publicKey, stake: 100n })),
    );
    const set = decodeValidatorSet(encoded);
    this.sets.set(toHex(set.id), encoded);
    const made = { set, keys: members.map(({ key }) => key) };
    this.#committees.set(epoch, made);
    return made;
  }

  block(seed: string, payments: readonly Payment[], anchorHeight = 0): BlockBytes {
    const { chainId } = this.manifest;
    const extranonce = encodeExtranonce('test', bytesFrom(`${seed}/free`, 11));
    const payout = new Uint8Array(49).fill(2, 0, 1);
    const parents = [bytesFrom(`${seed}/parent`, 48)];
    const body = encodeBlockBody({
      payout,
      extranonce,
      parents,
      transactions: payments.map(({ wire }) => wire),
    });
    const header = encodeBlockHeader(
      {
        anchorHeight: BigInt(anchorHeight),
        anchorCutId: chainId,
        parentsRoot: hashLabel(LABELS.parents, Uint8Array.of(1), ...parents),
        bodyRoot: hashLabel(LABELS.body, body),
        payoutCommitment: hashLabel(LABELS.payee, payout),
        extranonce,
        target: new Uint8Array(32).fill(255),
        nonce: bytesFrom(`${seed}/nonce`, 24),
      },
      chainId,
    );
    return { id: toHex(hashLabel(LABELS.block, header)), header, body };
  }

  /** Appends a cut that registers the blocks, or blocks of its own. */
  append(registered?: readonly BlockBytes[]): ScriptedCut {
    const height = this.cuts.length + 1;
    const { seed } = this.#options;
    const blocks = registered ?? this.#ownBlocks(height);
    const ids = blocks.map(({ id }) => Buffer.from(id, 'hex')).map((id) => new Uint8Array(id));
    const body = encodeCutBody({ blockIds: ids, evidence: [] });
    const parent = this.cuts.at(-1);
    this.#stateRoot = stateAfter(this.#stateRoot, body);
    const header = encodeCutHeader({
      protocolVersion: 1,
      chainId: this.manifest.chainId,
      height: BigInt(height),
      parentCutId: parent === undefined ? this.manifest.chainId : cutId(parent.header),
      proposer: 0,
      time: BigInt(GENESIS_TIME + 2_500 * height),
      validatorSetId: this.committee(height).set.id,
      nextValidatorSetId: this.committee(height + 1).set.id,
      previousRound: 0,
      previousSigners: 0n,
      registeredRoot: registeredRoot(ids),
      registeredCount: blocks.length,
      registeredBytes: blocks.reduce((sum, one) => sum + one.body.length, 0),
      evidenceRoot: evidenceRoot([]),
      outcomeRoot: bytesFrom(`${seed}/${height}/outcome`, 48),
      changesRoot: bytesFrom(`${seed}/${height}/changes`, 48),
      historyRoot: bytesFrom(`${seed}/${height}/history`, 48),
      stateRoot: this.#stateRoot,
      workTarget: new Uint8Array(32).fill(255),
    });
    const certificate = this.certify(height, header);
    const cut = { height, id: toHex(cutId(header)), header, body, certificate, blocks };
    this.cuts.push(cut);
    return cut;
  }

  grow(count: number): this {
    for (let i = 0; i < count; i++) this.append();
    return this;
  }

  /** The precommits of three of four validators. */
  certify(height: number, header: Uint8Array): Uint8Array {
    const { set, keys } = this.committee(height);
    const signers = keys.map((_, index) => index).slice(0, Math.floor((2 * keys.length) / 3) + 1);
    const content = {
      kind: 'precommit' as const,
      height: BigInt(height),
      round: 0,
      validRound: -1,
      cutId: cutId(header),
      validatorSetId: set.id,
    };
    const message = voteSignBytes(content, this.manifest.chainId);
    const context = contextBytes(CONTEXTS.vote);
    return encodeCertificate({
      height: BigInt(height),
      round: 0,
      cutId: cutId(header),
      validatorSetId: set.id,
      signers: signersOf(signers),
      signatures: signers.map((index) =>
        mlDsa65.sign((keys[index] as KeyPair).secretKey, message, { context }),
      ),
    });
  }

  #ownBlocks(height: number): BlockBytes[] {
    const { seed, blocksPerCut, paymentsPerBlock } = this.#options;
    return Array.from({ length: blocksPerCut }, (_, index) => {
      const payments = Array.from({ length: paymentsPerBlock }, (__, at) =>
        payment(this.manifest, `${seed}/${height}/${index}/${at}`),
      );
      return this.block(`${seed}/${height}/${index}`, payments, height - 1);
    });
  }
}

export function stateAfter(before: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(sha384(concatBytes(before, body)));
}

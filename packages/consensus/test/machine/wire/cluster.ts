/**
 * Four real machines with real signers that talk in bytes. There is no clock: when nothing is under
 * way, every timer that was set runs out.
 */
import { LogWriter } from 'svc-base/pure';
import { contextBytes, toHex } from 'svc-wasm/base';
import { mlDsa65, sha384 } from 'svc-wasm/kernel';
import { type CutHeader, cutId, encodeCutHeader } from 'svc-wasm/protocol';
import type {
  CommitCertificate,
  Conflict,
  CutId,
  Effect,
  FinalityState,
  HeightContext,
  Input,
  SignedMessage,
  Signer,
  UnsignedMessage,
} from '../../../src/machine/index.ts';
import {
  admit,
  decodeMessage,
  encodeInput,
  encodeMessage,
  height,
  initialState,
  machineSet,
  openSigner,
  signatureContext,
  signedBytesOf,
  step,
  Verifier,
} from '../../../src/machine/index.ts';
import { CHAIN_ID, type Committee, type Member } from './committee.ts';
import { FREE_LOCK, MemoryLog, MemorySignState } from './memory-storage.ts';

export const HEIGHT = height(7);
export const TIME = 1_800_000_000_000n;

export function contextFor(committee: Committee, self: number): HeightContext {
  const proposers = committee.members.map((_, index) => index);
  return { height: HEIGHT, set: machineSet(committee.set), proposers, self, startAtMs: TIME };
}

export class Peer {
  readonly committee: Committee;
  readonly index: number;
  readonly outbox: { readonly to: number | undefined; readonly bytes: Uint8Array }[] = [];
  readonly timers: Input[] = [];
  readonly conflicts: Conflict[] = [];
  readonly refused: string[] = [];
  readonly headers: Map<CutId, Uint8Array>;
  readonly log = new MemoryLog();
  readonly signState = new MemorySignState();
  readonly #writer = new LogWriter(this.log);
  readonly #verifier = new Verifier(CHAIN_ID);
  readonly #signer: Signer;
  readonly #inputs: Input[] = [];
  state: FinalityState;
  decided: CommitCertificate | undefined;
  /** Called after every effect, with what is on disk then. */
  onEffect: (effect: Effect) => void = () => {};

  constructor(committee: Committee, index: number, headers: Map<CutId, Uint8Array>) {
    this.committee = committee;
    this.index = index;
    this.headers = headers;
    this.#verifier.learnSet(committee.encodedSet);
    this.#signer = this.#openSigner(committee.members[index] as Member);
    this.state = initialState(contextFor(committee, index));
  }

  #openSigner(member: Member): Signer {
    const key = {
      id: member.id,
      sign: (bytes: Uint8Array, kind: UnsignedMessage['kind']) => {
        const context = contextBytes(signatureContext(kind));
        return mlDsa65.sign(member.secretKey, bytes, { context });
      },
    };
    const opened = openSigner(
      { storage: this.signState, lock: FREE_LOCK, key },
      { chainHeight: height(HEIGHT - 1), newSignState: true, firstUse: true },
    );
    if (opened.type !== 'open') throw new Error(opened.reason);
    return opened.signer;
  }

  start(): void {
    const context = contextFor(this.committee, this.index);
    this.input({ type: 'startHeight', context });
  }

  /** Bytes from the network: checks form, admission and signature, then feeds the machine. */
  receive(bytes: Uint8Array, from = this.index): void {
    const message = decodeMessage(this.committee.wire, bytes);
    if (message.kind === 'polkaRequest') {
      const { height: at, round, value } = message;
      this.input({ type: 'polkaRequest', from, height: at, round, value });
      return;
    }
    if (message.kind === 'prevote' || message.kind === 'precommit' || message.kind === 'proposal')
      if (admit(this.state, message) !== 'verify') return;
    const [verdict] = this.#verifier.verifyBatch([bytes]);
    if (verdict?.holds !== true) {
      this.refused.push(verdict?.code ?? 'none');
      return;
    }
    switch (message.kind) {
      case 'prevote':
      case 'precommit':
        this.input({ type: 'vote', vote: message });
        break;
      case 'proposal':
        this.input({ type: 'proposal', proposal: message, cutTimeMs: TIME, receivedAtMs: TIME });
        break;
      case 'commitCertificate':
      case 'polkaCertificate':
        this.input({ type: message.kind, certificate: message } as Input);
        break;
      default:
    }
  }

  input(input: Input): void {
    this.#inputs.push(input);
    if (this.#inputs.length > 1) return;
    while (this.#inputs[0] !== undefined) {
      const result = step(this.state, this.#inputs[0]);
      this.state = result.state;
      for (const effect of result.effects) {
        this.#run(effect);
        this.onEffect(effect);
      }
      this.#inputs.shift();
    }
  }

  #run(effect: Effect): void {
    const { wire } = this.committee;
    switch (effect.type) {
      case 'resetLog':
        this.#writer.reset();
        break;
      case 'append':
        this.#writer.append(encodeInput(wire, effect.input));
        break;
      case 'sync':
        this.#writer.sync();
        break;
      case 'sign':
        this.#sign(effect.message);
        break;
      case 'broadcast':
        this.outbox.push({ to: undefined, bytes: encodeMessage(wire, effect.message) });
        break;
      case 'send':
        this.outbox.push({ to: effect.to, bytes: encodeMessage(wire, effect.message) });
        break;
      case 'scheduleStart':
        this.timers.push({ ...timerBase(), timer: 'start', round: 0 as never });
        break;
      case 'schedule':
        this.timers.push({ ...timerBase(), timer: effect.timer, round: effect.round });
        break;
      case 'buildCut':
        this.#build(effect);
        break;
      case 'validateCut':
        this.#judge(effect.value);
        break;
      case 'fetchPolka': {
        const { from: to, height: at, round, value } = effect;
        const request = { kind: 'polkaRequest', height: at, round, value } as const;
        this.outbox.push({ to, bytes: encodeMessage(wire, request) });
        break;
      }
      case 'evidence':
        this.conflicts.push(effect.conflict);
        break;
      case 'decide':
        this.decided = effect.certificate;
        break;
      default:
    }
  }

  #sign(message: UnsignedMessage): void {
    const bytes = signedBytesOf(this.committee.wire, message);
    const result = this.#signer.sign(message.kind, message.height, message.round, bytes);
    if (result.type === 'refused') {
      this.#inputs.push({ type: 'signRefused', message, reason: result.reason });
      return;
    }
    const signed = { ...message, signature: result.signature } as SignedMessage;
    this.#inputs.push({ type: 'signed', message: signed });
  }

  #build(effect: Extract<Effect, { type: 'buildCut' }>): void {
    const header = encodeCutHeader(headerOf(this.committee, this.index));
    const value = toHex(cutId(header)) as CutId;
    this.headers.set(value, header);
    const { round } = effect;
    this.#inputs.push({ type: 'cutBuilt', height: HEIGHT, round, value });
  }

  #judge(value: CutId): void {
    const header = this.headers.get(value);
    const verdict = header !== undefined && toHex(cutId(header)) === value ? 'valid' : 'invalid';
    this.#inputs.push({ type: 'verdict', height: HEIGHT, value, verdict });
  }
}

function timerBase() {
  return { type: 'timer', height: HEIGHT, nowMs: TIME } as const;
}

export function headerOf(committee: Committee, proposer: number): CutHeader {
  const of = (name: string) => sha384(new TextEncoder().encode(name));
  return {
    protocolVersion: 1,
    chainId: CHAIN_ID,
    height: BigInt(HEIGHT),
    parentCutId: of('parent'),
    historyRoot: of('history'),
    proposer,
    time: TIME,
    validatorSetId: committee.set.id,
    nextValidatorSetId: committee.set.id,
    previousRound: 0,
    previousSigners: 7n,
    registeredRoot: of('registered'),
    registeredCount: 0,
    registeredBytes: 0,
    evidenceRoot: of('evidence'),
    outcomeRoot: of('outcome'),
    changesRoot: of('changes'),
    stateRoot: of('state'),
    workTarget: of('target').slice(0, 32),
  };
}

/** Delivers everything, in order; lets timers run out when nothing is under way. */
export function runCluster(
  peers: readonly Peer[],
  isLost: (from: number, to: number, bytes: Uint8Array) => boolean = () => false,
): void {
  for (const peer of peers) peer.start();
  for (let turn = 0; turn < 1000; turn++) {
    if (peers.every((peer) => peer.decided !== undefined)) return;
    const sent = peers.flatMap((peer) =>
      peer.outbox.splice(0).map((item) => ({ from: peer.index, ...item })),
    );
    for (const { from, to, bytes } of sent)
      for (const peer of peers)
        if (peer.index !== from && (to === undefined || to === peer.index))
          if (!isLost(from, peer.index, bytes)) peer.receive(bytes, from);
    if (sent.length > 0) continue;
    for (const peer of peers) for (const timer of peer.timers.splice(0)) peer.input(timer);
  }
  throw new Error('the cluster did not decide');
}

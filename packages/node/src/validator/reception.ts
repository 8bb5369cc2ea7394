/**
 * What a validator does with messages of others: says which are wanted, and hands those that passed their
 * checks to the machine, the fetcher or whoever answers requests.
 */
import {
  admit,
  type CommitCertificate,
  type EncodedCut,
  type FinalityState,
  hasAnyPolka,
  type Input,
  isQuorum,
  isTimely,
  NO_ROUND,
  type PolkaCertificate,
  type Proposal,
  type ProposalWithCut,
  type Rules,
  type SignedMessage,
  type Signer,
  signedBytesOf,
  type WireMessage,
} from 'svc-finality';
import { SvcError, toHex } from 'svc-wasm/base';
import { decodeBlockHeader } from 'svc-wasm/protocol';
import type { Log } from '../base/log.ts';
import type { ChainCore } from '../chain/chain-core.ts';
import type { CutFetcher } from './cut-fetcher.ts';
import type { HeightDiary } from './height-diary.ts';
import type { HeldCuts } from './held-cuts.ts';
import type { Arrival, Wanted } from './inbox.ts';
import type { Serving } from './serving.ts';
import type { Speaker } from './speaker.ts';

export interface ReceptionPorts {
  readonly chain: ChainCore;
  readonly rules: Rules;
  readonly log: Log;
  readonly signer: Signer;
  readonly cuts: HeldCuts;
  readonly fetcher: CutFetcher;
  readonly serving: Serving;
  readonly speaker: Speaker;
  readonly diary: HeightDiary;
  readonly state: () => FinalityState;
  readonly input: (input: Input) => void;
  /** The place of a validator in the set in progress. */
  readonly indexOf: (validatorId: string) => number | undefined;
  /** This validator's own place in the set of a height. */
  readonly ownIndexAt: (height: number) => number | undefined;
  /** Somebody who is ahead gave a decision. */
  readonly helpedBy: (validatorId: string) => void;
  readonly onFatal: (error: unknown) => void;
}

const WANTED: Readonly<Record<ReturnType<typeof admit>, Wanted>> = {
  verify: 'verify',
  ignore: 'drop',
  reject: 'reject',
};

export class Reception {
  readonly #ports: ReceptionPorts;

  constructor(ports: ReceptionPorts) {
    this.#ports = ports;
  }

  isWanted(message: WireMessage): Wanted {
    const { cuts, fetcher } = this.#ports;
    const state = this.#ports.state();
    switch (message.kind) {
      case 'prevote':
      case 'precommit':
        return WANTED[admit(state, message)];
      case 'proposal':
        return cuts.get(message.value) === undefined ? 'drop' : WANTED[admit(state, message)];
      case 'proposalWithCut':
        return isOwnWork(message) ? WANTED[admit(state, message.proposal)] : 'reject';
      case 'commitCertificate':
        return isCommitWanted(state, message) ? 'verify' : 'drop';
      case 'decision':
        return isCommitWanted(state, message.certificate) ? 'verify' : 'drop';
      case 'polkaCertificate':
        return isPolkaWanted(state, message) ? 'verify' : 'drop';
      case 'cut':
        return fetcher.isWantedCut(message.cut.value) ? 'take' : 'drop';
      default:
        return 'take';
    }
  }

  deliver(arrival: Arrival): void {
    const { message, from } = arrival;
    switch (message.kind) {
      case 'prevote':
      case 'precommit':
        this.#takeVote(message);
        break;
      case 'proposal': {
        const cut = this.#ports.cuts.get(message.value);
        if (cut !== undefined) this.#takeProposal(message, cut, arrival);
        break;
      }
      case 'proposalWithCut':
        this.#ports.cuts.learn(message.cut);
        this.#takeProposal(message.proposal, message.cut, arrival);
        break;
      case 'commitCertificate':
        this.#ports.input({ type: 'commitCertificate', certificate: message });
        break;
      case 'decision':
        this.#ports.cuts.learn(message.cut);
        this.#ports.helpedBy(from);
        this.#ports.input({ type: 'commitCertificate', certificate: message.certificate });
        break;
      case 'polkaCertificate':
        this.#ports.input({ type: 'polkaCertificate', certificate: message });
        break;
      default:
        this.#takeUnsigned(from, message);
    }
  }

  #takeUnsigned(from: string, message: WireMessage): void {
    const { cuts, fetcher, serving } = this.#ports;
    switch (message.kind) {
      case 'cutRequest':
        serving.cut(from, message);
        break;
      case 'blocksRequest':
        serving.blocks(from, message.ids);
        break;
      case 'cut':
        cuts.learn(message.cut);
        fetcher.lookAgain();
        break;
      case 'block':
        this.#takeBlock(message.header, message.body);
        break;
      case 'summary':
      case 'polkaRequest':
      case 'precommitsRequest':
        this.#takeRequest(from, message);
        break;
      default:
    }
  }

  #takeRequest(
    sender: string,
    message: Extract<WireMessage, { kind: 'summary' | 'polkaRequest' | 'precommitsRequest' }>,
  ): void {
    const { input, indexOf, serving, state } = this.#ports;
    if (message.kind === 'summary' && message.height < state().context.height) {
      serving.decision(sender, message.height);
      return;
    }
    const from = indexOf(sender);
    if (from === undefined) return;
    if (message.kind === 'summary') {
      input({ type: 'summary', from, summary: message });
      return;
    }
    const { kind: type, ...rest } = message;
    input({ type, from, ...rest } as Input);
  }

  #takeVote(vote: Extract<WireMessage, { kind: 'prevote' | 'precommit' }>): void {
    const { input, fetcher, state } = this.#ports;
    if (this.#stopsTheKey(vote)) return;
    input({ type: 'vote', vote });
    if (vote.height === state().context.height - 1) fetcher.lookAgain();
  }

  #takeProposal(proposal: Proposal, cut: EncodedCut, { atMillis, bytes, from }: Arrival): void {
    const { input, diary, speaker } = this.#ports;
    if (this.#stopsTheKey(proposal)) return;
    diary.proposal(proposal.height, atMillis, this.#untimely(proposal, cut.fields.time, atMillis));
    const receivedAtMs = BigInt(atMillis);
    input({ type: 'proposal', proposal, cutTimeMs: cut.fields.time, receivedAtMs });
    speaker.passOn(bytes, from);
  }

  #untimely(
    { round, validRound }: Proposal,
    cutTimeMs: bigint,
    atMillis: number,
  ): string | undefined {
    const { timing } = this.#ports.rules;
    if (validRound !== NO_ROUND || isTimely(timing, round, cutTimeMs, BigInt(atMillis)))
      return undefined;
    const ahead = Number(cutTimeMs) - atMillis;
    return ahead > 0
      ? `its time is ${ahead} ms ahead of the clock here`
      : `its time is ${-ahead} ms behind the clock here`;
  }

  /** A message of our own that we do not remember: somebody else has the key. */
  #stopsTheKey(message: SignedMessage): boolean {
    const { signer, chain, log, ownIndexAt } = this.#ports;
    const { kind, height, round, validatorIndex } = message;
    if (ownIndexAt(height) !== validatorIndex) return false;
    if (!signer.ownMessageSeen(kind, height, round, signedBytesOf(chain.wire, message)))
      return false;
    log.error(
      { height, round, kind },
      'a message of this consensus key came in that this node never signed: the key is in use elsewhere and signs nothing more here',
    );
    return true;
  }

  #takeBlock(header: Uint8Array, body: Uint8Array): void {
    const { fetcher, chain, onFatal } = this.#ports;
    try {
      const id = toHex(decodeBlockHeader(header, chain.wire.chainId).id);
      if (fetcher.isWantedBlock(id)) fetcher.take(id, header, body).catch(onFatal);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
    }
  }
}

/** A fresh proposal is of a cut that the proposer built itself, for this height. */
function isOwnWork({ proposal, cut: { fields } }: ProposalWithCut): boolean {
  if (fields.height !== BigInt(proposal.height)) return false;
  return proposal.validRound !== NO_ROUND || fields.proposer === proposal.validatorIndex;
}

function isCommitWanted(state: FinalityState, commit: CommitCertificate): boolean {
  const { height } = state.context;
  if (commit.height === height) return state.decided === undefined && state.certified === undefined;
  // A second decision of the height before must be seen, and stops the node.
  const { previous } = state;
  if (previous?.certificate.height !== commit.height) return false;
  return commit.value !== previous.certificate.value;
}

function isPolkaWanted(state: FinalityState, polka: PolkaCertificate): boolean {
  if (polka.height !== state.context.height || state.decided !== undefined) return false;
  return !hasAnyPolka(state.keeper, polka.round, polka.value, isQuorum);
}

/**
 * A height of two rounds as one validator lived it, with both of its files after every effect. In
 * round 0 it locks a cut that is not decided; in round 1 it proposes that cut again.
 */

import type { CutId, SignedMessage } from '../../../src/machine/index.ts';
import { decodeMessage, decodeSignState, type SignState } from '../../../src/machine/index.ts';
import { Peer, runCluster } from '../wire/cluster.ts';
import { type Committee, makeCommittee } from '../wire/committee.ts';

export const COMMITTEE: Committee = makeCommittee('recorded', [1n, 1n, 1n, 1n]);
export const SUBJECT = 1;

export interface Files {
  readonly log: Uint8Array;
  readonly record: Uint8Array;
}

export interface RecordedHeight {
  /** Both files after each effect that changed one of them, oldest first. */
  readonly history: readonly Files[];
  /** What the validator sent. */
  readonly sent: readonly SignedMessage[];
  /** The files of another validator at the end. */
  readonly foreign: Files;
  readonly headers: ReadonlyMap<CutId, Uint8Array>;
}

const PROPOSAL = 1;
const VOTE = 2;
const PREVOTE = 1;

/** The last one gets no proposal, the third no prevote of the first: they precommit nil. */
function isLost(from: number, to: number, bytes: Uint8Array): boolean {
  const roundAt = bytes[0] === PROPOSAL ? 9 : 10;
  if (bytes[0] !== PROPOSAL && bytes[0] !== VOTE) return false;
  if (new DataView(bytes.buffer).getUint32(roundAt, true) !== 0) return false;
  if (bytes[0] === PROPOSAL) return to === 3;
  return bytes[1] === PREVOTE && from === 0 && to === 2;
}

export function recordHeight(): RecordedHeight {
  const headers = new Map<CutId, Uint8Array>();
  const peers = COMMITTEE.members.map((_, index) => new Peer(COMMITTEE, index, headers));
  const subject = peers[SUBJECT] as Peer;
  const history: Files[] = [];
  const sent: SignedMessage[] = [];
  subject.onEffect = (effect) => {
    const files = { log: subject.log.bytes, record: subject.signState.record as Uint8Array };
    const before = history[history.length - 1];
    if (before?.log !== files.log || before.record !== files.record) history.push(files);
    if (effect.type !== 'broadcast') return;
    const bytes = subject.outbox[subject.outbox.length - 1]?.bytes as Uint8Array;
    sent.push(decodeMessage(COMMITTEE.wire, bytes) as SignedMessage);
  };
  runCluster(peers, isLost);
  const stranger = peers[0] as Peer;
  const foreign = { log: stranger.log.bytes, record: stranger.signState.record as Uint8Array };
  return { history, sent, foreign, headers };
}

export function recordOf(files: Files): SignState {
  const state = decodeSignState(files.record);
  if (state === undefined) throw new Error('a recorded sign state does not decode');
  return state;
}

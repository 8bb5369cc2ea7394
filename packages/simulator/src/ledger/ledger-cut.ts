/**
 * A cut with contents: the blocks it registers and what its header says about the state. Its id is
 * the hash of its real header, so changed contents are another cut.
 */
import type { CutId, Evidence, SignedMessage, WireContext } from 'svc-consensus/machine';
import { evidenceFields } from 'svc-consensus/machine';
import type { CutResult, ExecutableTransaction, Identifier, RegisteredBlock } from 'svc-ledger';
import { bytesOf, targetBytes } from 'svc-ledger';
import type { BlockBytes } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import {
  cutId,
  decodeCutBody,
  encodeCutBody,
  encodeCutHeader,
  evidenceRoot,
  PROTOCOL_VERSION,
  registeredRoot,
} from 'svc-wasm/protocol';
import type { Cut } from '../world/cut.ts';
import { GENESIS_ID } from '../world/cut.ts';
import type { LedgerSetting } from './setting.ts';

/** A block of the simulation's miners, in the bytes of the protocol and as the ledger takes it. */
export interface MinedBlock {
  readonly bytes: BlockBytes;
  readonly block: RegisteredBlock;
  readonly transactions: readonly ExecutableTransaction[];
}

export type Commitment = Pick<
  CutResult,
  | 'stateRoot'
  | 'outcomeRoot'
  | 'changesRoot'
  | 'historyRoot'
  | 'workTarget'
  | 'validatorSetId'
  | 'nextValidatorSetId'
>;

export interface LedgerCut extends Cut {
  readonly registered: readonly MinedBlock[];
  readonly commitment: Commitment;
}

const SIGNATURE_BYTES = 3_309;

export function commitmentOf(result: CutResult): Commitment {
  const { stateRoot, outcomeRoot, changesRoot, historyRoot, workTarget } = result;
  const { validatorSetId, nextValidatorSetId } = result;
  const roots = { stateRoot, outcomeRoot, changesRoot, historyRoot };
  return { ...roots, workTarget, validatorSetId, nextValidatorSetId };
}

/** Every cut of a ledger simulation has contents; actors change them but never drop them. */
export function asLedgerCut(cut: Cut): LedgerCut {
  if (!('registered' in cut && 'commitment' in cut)) throw new Error(`cut ${cut.id} is empty`);
  return cut as LedgerCut;
}

export function parentIdOf(setting: LedgerSetting, { parentId }: Cut): Identifier {
  return parentId === GENESIS_ID ? toHex(setting.chainId) : parentId;
}

/** The id of a cut with this header. */
export function idOfHeader({ header }: EncodedCut): CutId {
  return toHex(cutId(header)) as CutId;
}

export interface EncodedCut {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

/** The context knows the sets that evidence was signed in. */
export function encodeCut(
  setting: LedgerSetting,
  cut: LedgerCut,
  context: WireContext,
): EncodedCut {
  const evidence = cut.evidence.map((item) => fieldsOf(context, item));
  const blockIds = cut.registered.map(({ block }) => bytesOf(block.id));
  const body = encodeCutBody({ blockIds, evidence });
  const decoded = decodeCutBody(body);
  const { stateRoot, outcomeRoot, changesRoot, historyRoot, workTarget, ...sets } = cut.commitment;
  const header = encodeCutHeader({
    protocolVersion: PROTOCOL_VERSION,
    chainId: setting.chainId,
    height: BigInt(cut.height),
    parentCutId: bytesOf(parentIdOf(setting, cut)),
    historyRoot: bytesOf(historyRoot),
    proposer: cut.proposer,
    time: cut.timeMs,
    validatorSetId: bytesOf(sets.validatorSetId),
    nextValidatorSetId: bytesOf(sets.nextValidatorSetId),
    previousRound: Math.max(0, cut.previousRound),
    previousSigners: cut.previousSigners,
    registeredRoot: registeredRoot(decoded.blockIds),
    registeredCount: blockIds.length,
    registeredBytes: cut.registered.reduce((sum, { block }) => sum + block.bodyBytes, 0),
    evidenceRoot: evidenceRoot(decoded.evidence),
    outcomeRoot: bytesOf(outcomeRoot),
    changesRoot: bytesOf(changesRoot),
    stateRoot: bytesOf(stateRoot),
    workTarget: targetBytes(workTarget),
  });
  return { header, body };
}

function fieldsOf(context: WireContext, { first, second }: Evidence) {
  return evidenceFields(context, { first: padded(first), second: padded(second) });
}

/** Signatures of the simulation are short; on the wire they have their full length. */
function padded(message: SignedMessage): SignedMessage {
  const signature = new Uint8Array(SIGNATURE_BYTES);
  signature.set(message.signature);
  return { ...message, signature };
}

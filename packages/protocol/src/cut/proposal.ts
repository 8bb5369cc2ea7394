/**
 * Proposals of a cut for one round; `docs/protocol.md` 8.3. The cut itself is sent with them.
 */
import { equalBytes, expectBytes } from '../base/bytes.ts';
import { CONTEXTS } from '../base/labels.ts';
import { Reader } from '../base/reader.ts';
import { ID_BYTES, SIGNATURE_BYTES } from '../base/sizes.ts';
import { Writer } from '../base/writer.ts';
import { expectAtMost } from './check.ts';
import { VALIDATORS_MAX } from './limits.ts';
import { verifyByValidator } from './signature.ts';
import type { ValidatorSet } from './validator-set.ts';
import { checkValidRound, ROUND_MAX } from './vote.ts';

export const PROPOSAL_BYTES = 8 + 4 + 4 + ID_BYTES + 2 + ID_BYTES + SIGNATURE_BYTES;

export interface ProposalContent {
  readonly height: bigint;
  readonly round: number;
  readonly validRound: number;
  readonly cutId: Uint8Array;
  readonly validatorSetId: Uint8Array;
}

export interface Proposal extends ProposalContent {
  readonly validatorIndex: number;
  readonly signature: Uint8Array;
}

export function encodeProposal(proposal: Proposal, path = 'proposal'): Uint8Array {
  checkProposal(proposal, path);
  return writeContent(new Writer(PROPOSAL_BYTES), proposal, path)
    .u16(proposal.validatorIndex)
    .raw(expectBytes(proposal.validatorSetId, `${path}.validatorSetId`, ID_BYTES))
    .raw(expectBytes(proposal.signature, `${path}.signature`, SIGNATURE_BYTES))
    .finish();
}

export function decodeProposal(bytes: Uint8Array, path = 'proposal'): Proposal {
  const reader = new Reader(expectBytes(bytes, path, PROPOSAL_BYTES), path);
  const proposal: Proposal = {
    height: reader.u64(),
    round: reader.u32(),
    validRound: reader.i32(),
    cutId: reader.raw(ID_BYTES),
    validatorIndex: reader.u16(),
    validatorSetId: reader.raw(ID_BYTES),
    signature: reader.raw(SIGNATURE_BYTES),
  };
  reader.end();
  checkProposal(proposal, path);
  return proposal;
}

/** What the validator's key signs under the context `svc/proposal/v1`. */
export function proposalSignBytes(
  proposal: ProposalContent,
  chainId: Uint8Array,
  path = 'proposal',
): Uint8Array {
  const writer = new Writer(256)
    .raw(expectBytes(chainId, 'chainId', ID_BYTES))
    .raw(expectBytes(proposal.validatorSetId, `${path}.validatorSetId`, ID_BYTES));
  return writeContent(writer, proposal, path).finish();
}

/** Whether the proposal is of a member of this set; not whether it was that member's turn. */
export function verifyProposal(
  proposal: Proposal,
  chainId: Uint8Array,
  set: ValidatorSet,
): boolean {
  if (!equalBytes(proposal.validatorSetId, set.id)) return false;
  const { validatorIndex, signature } = proposal;
  const message = proposalSignBytes(proposal, chainId);
  return verifyByValidator(set, validatorIndex, message, CONTEXTS.proposal, signature);
}

function writeContent(writer: Writer, proposal: ProposalContent, path: string): Writer {
  return writer
    .u64(proposal.height)
    .u32(proposal.round)
    .i32(proposal.validRound)
    .raw(expectBytes(proposal.cutId, `${path}.cutId`, ID_BYTES));
}

function checkProposal(proposal: Proposal, path: string): void {
  expectAtMost(proposal.round, ROUND_MAX, `${path}.round`);
  expectAtMost(proposal.validatorIndex, VALIDATORS_MAX - 1, `${path}.validatorIndex`);
  checkValidRound(proposal.validRound, proposal.round, `${path}.validRound`);
}

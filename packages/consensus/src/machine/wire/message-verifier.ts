/**
 * The signature checks that the rest of the package takes as arguments.
 */
import { toHex } from 'svc-wasm/base';
import { type ValidatorSet as SetWithKeys, verifyProposal, verifyVote } from 'svc-wasm/protocol';
import type { VoteVerifier } from '../base/certificate.ts';
import type { SignedMessage } from '../base/messages.ts';
import type { Height } from '../base/types.ts';
import type { EvidencePorts } from '../evidence/evidence.ts';
import { proposalFields, signedBytesOf, voteFields } from './signed-message.ts';
import type { WireContext } from './wire-context.ts';

/** Whether a member of this set signed the message. */
export function verifySigned(
  context: WireContext,
  set: SetWithKeys,
  message: SignedMessage,
): boolean {
  return message.kind === 'proposal'
    ? verifyProposal(proposalFields(context, message), context.chainId, set)
    : verifyVote(voteFields(context, message), context.chainId, set);
}

/** For `checkCertificate`, `checkHeaderChain` and `checkLightStep`. */
export function voteVerifier(context: WireContext, set: SetWithKeys): VoteVerifier {
  return (vote, signature) => verifySigned(context, set, { ...vote, signature });
}

/** For `checkEvidence`; `setAt` gives the set, and so the keys, that were active at a height. */
export function evidencePorts(
  context: WireContext,
  setAt: (height: Height) => SetWithKeys | undefined,
  interval: number,
): EvidencePorts {
  return {
    interval,
    signedBytes: (message) => signedBytesOf(context, message),
    validatorAt: (height, index) => {
      const validator = setAt(height)?.validators[index];
      return validator === undefined ? undefined : toHex(validator.id);
    },
    verify: (message) => {
      const set = setAt(message.height);
      return set !== undefined && verifySigned(context, set, message);
    },
  };
}

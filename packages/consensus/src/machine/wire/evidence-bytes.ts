/**
 * From a conflict that the machine reports to evidence that goes into a cut; `docs/protocol.md` 8.3.
 */
import {
  decodeEvidence as decodeEvidenceFields,
  type Evidence as EvidenceFields,
  encodeEvidence as encodeEvidenceFields,
  evidenceOfProposals,
  evidenceOfVotes,
} from 'svc-wasm/protocol';
import { assertInvariant } from '../base/assertion.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Conflict } from '../keeper/vote-keeper.ts';
import { proposalFields, proposalFrom, voteFields, voteFrom } from './signed-message.ts';
import type { WireContext } from './wire-context.ts';

/** The two messages in the one allowed order. */
export function evidenceFields(context: WireContext, conflict: Conflict): EvidenceFields {
  const { first, second } = conflict;
  if (first.kind === 'proposal') {
    assertInvariant(second.kind === 'proposal', 'a conflict is between messages of one kind');
    return evidenceOfProposals(proposalFields(context, first), proposalFields(context, second));
  }
  assertInvariant(second.kind === first.kind, 'a conflict is between messages of one kind');
  return evidenceOfVotes(voteFields(context, first), voteFields(context, second));
}

export function encodeEvidence(context: WireContext, conflict: Conflict): Uint8Array {
  return encodeEvidenceFields(evidenceFields(context, conflict));
}

export function decodeEvidence(
  context: WireContext,
  bytes: Uint8Array,
  path = 'evidence',
): Evidence {
  const evidence = decodeEvidenceFields(bytes, path);
  return evidence.kind === 'votes'
    ? {
        kind: 'votes',
        first: voteFrom(context, evidence.first, `${path}.first`),
        second: voteFrom(context, evidence.second, `${path}.second`),
      }
    : {
        kind: 'proposals',
        first: proposalFrom(context, evidence.first, `${path}.first`),
        second: proposalFrom(context, evidence.second, `${path}.second`),
      };
}

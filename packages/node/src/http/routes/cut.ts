/** `GET /v1/cuts/{height}`. */
import type { Cut, ROUTES } from 'svc-api';
import { epochOf } from 'svc-ledger';
import type { CutSummary } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { decodeCutHeader, signerIndexes } from 'svc-wasm/protocol';
import { cutSummary, expectCut } from '../../documents/cut-documents.ts';
import { outpointDocument } from '../../documents/output-documents.ts';
import type { Handler } from './handler.ts';

export const cut: Handler<typeof ROUTES.cut> = ({ services, readers }, { params }) =>
  readers.read(async ({ reader, height }) => {
    const row = await expectCut(reader, params.height);
    const header = decodeCutHeader(row.header);
    const summary = await reader.summary(params.height);
    const document = {
      api_version: 1,
      finalized_height: height,
      cut: {
        ...cutSummary(row, header, summary),
        epoch: epochOf(row.height, services.chain.parameters.interval),
        parent_cut_id: toHex(header.parentCutId),
        next_validator_set_id: toHex(header.nextValidatorSetId),
        outcome_root: toHex(header.outcomeRoot),
        header_hex: toHex(row.header),
        work_target: toHex(header.workTarget),
        previous_round: header.previousRound,
        previous_signers: signerIndexes(header.previousSigners),
        ...eventsOf(summary),
      },
    } as const;
    return { height, document, isFinal: summary !== undefined };
  });

type Events = Pick<Cut['cut'], 'changes' | 'rewards' | 'stake_payouts' | 'burns'>;

function eventsOf(summary: CutSummary | undefined): Events {
  if (summary === undefined) return { changes: null, rewards: [], stake_payouts: [], burns: [] };
  return {
    changes: summary.changes,
    rewards: summary.rewards.map(({ blockId, amount, outpoint, outputAmount }) => ({
      block_id: blockId,
      amount: String(amount),
      outpoint: outpoint === null ? null : outpointDocument(outpoint),
      output_amount: outpoint === null ? null : String(outputAmount),
    })),
    stake_payouts: summary.stakePayouts.map((payout) => ({
      position: payout.positionId,
      validator: payout.validatorId,
      epoch: payout.epoch,
      amount: String(payout.amount),
      outpoint: outpointDocument(payout.outpoint),
    })),
    burns: summary.burns.map((burn) => ({
      cause: burn.cause,
      id: burn.cause === 'output' ? burn.transactionId : burn.validatorId,
      amount: String(burn.amount),
    })),
  };
}

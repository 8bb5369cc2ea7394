/**
 * Finalized cuts: what each is, what it did, and who signed it.
 */
import { type Cut, ROUTES } from 'svc-api';
import { epochOf } from 'svc-ledger';
import type { CutSummary } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { decodeCertificateHead, decodeCutHeader, signerIndexes } from 'svc-wasm/protocol';
import { cutReference, cutSummary, expectCut, expectKept } from '../../documents/cuts.ts';
import { cutChange, cutTransaction, outpointDocument } from '../../documents/transactions.ts';
import { Refused } from '../../refusal.ts';
import { fittingRows } from '../answers.ts';
import { Cursors, INDEX_POSITION } from '../requests/cursors.ts';
import { finalizedAt, type Handler } from './handler.ts';

export const cuts: Handler<'cuts'> = ({ readers }, { query }) =>
  readers.read(async ({ reader, height }) => {
    const { before, limit = ROUTES.cuts.page.default } = query;
    const { rows, next } = await reader.cuts({ before, limit });
    const listed = [];
    for (const row of rows) {
      const summary = await reader.summary(row.height);
      listed.push(cutSummary(row, decodeCutHeader(row.header), summary));
    }
    return finalizedAt(height, {
      cuts: listed,
      ...(next === null ? {} : { next_before: next }),
    });
  });

export const cut: Handler<'cut'> = ({ services, readers }, { params }) =>
  readers.read(async ({ reader, height }) => {
    const row = await expectCut(reader, params.height);
    const header = decodeCutHeader(row.header);
    const summary = await reader.summary(params.height);
    return finalizedAt(
      height,
      {
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
      },
      summary !== undefined,
    );
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

export const cutTransactions: Handler<'cutTransactions'> = (
  { addresses, readers },
  { params, query },
) => {
  const cursors = new Cursors(ROUTES.cutTransactions.name, String(params.height), INDEX_POSITION);
  return readers.read(async ({ reader, height }) => {
    expectKept(reader, params.height, reader.retention.indexedFrom);
    const after = cursors.read(query.cursor, height);
    const limit = query.limit ?? ROUTES.cutTransactions.page.default;
    const { rows, next } = await reader.cutTransactions(params.height, { after, limit });
    return finalizedAt(
      height,
      {
        height: params.height,
        transactions: rows.map((row) => cutTransaction(row, addresses)),
        ...cursors.next(next, height),
      },
      true,
    );
  });
};

export const cutChanges: Handler<'cutChanges'> = ({ readers, addresses }, { params, query }) => {
  const cursors = new Cursors(ROUTES.cutChanges.name, String(params.height), INDEX_POSITION);
  return readers.read(async ({ reader, height }) => {
    expectKept(reader, params.height, reader.retention.indexedFrom);
    const after = cursors.read(query.cursor, height);
    const limit = query.limit ?? ROUTES.cutChanges.page.default;
    const { rows, next } = await reader.cutChanges(params.height, { after, limit });
    const changes = rows.map((row) => cutChange(addresses.text(row.entry.address), row));
    const count = fittingRows(changes);
    return finalizedAt(
      height,
      {
        height: params.height,
        changes: changes.slice(0, count),
        ...cursors.next(count < rows.length ? (rows[count - 1]?.index ?? null) : next, height),
      },
      true,
    );
  });
};

export const cutLeaves: Handler<'cutLeaves'> = ({ readers, cutLists }, { params, query }) => {
  const { name, page } = ROUTES.cutLeaves;
  const cursors = new Cursors(name, String(params.height), INDEX_POSITION);
  return readers.read(async ({ reader, height }) => {
    expectKept(reader, params.height, reader.retention.indexedFrom);
    const listed = await expectCut(reader, params.height);
    const first = cursors.read(query.cursor, height) ?? 0;
    const leaves = await cutLists.changeLeaves(reader, listed);
    const end = first + (query.limit ?? page.default);
    return finalizedAt(
      height,
      {
        height: listed.height,
        cut_id: listed.cutId,
        count: leaves.length,
        leaves_base64: Buffer.concat(leaves.slice(first, end)).toString('base64'),
        ...cursors.next(end < leaves.length ? end : null, height),
      },
      true,
    );
  });
};

export const cutCertificate: Handler<'cutCertificate'> = ({ readers }, { params }) =>
  readers.read(async ({ reader, height }) => {
    const row = await expectCut(reader, params.height);
    const certificate = await reader.certificate(params.height);
    if (certificate === undefined) {
      throw new Refused('not_kept', 'old certificates are kept only where the committee changes', {
        path: 'height',
      });
    }
    const { round, signers } = decodeCertificateHead('precommit', certificate, 'certificate');
    const { cut_id, validator_set_id } = cutReference(row);
    return finalizedAt(
      height,
      {
        height: row.height,
        cut_id,
        validator_set_id,
        round,
        signers: signerIndexes(signers),
        header_hex: toHex(row.header),
        certificate_hex: toHex(certificate),
      },
      true,
    );
  });

export const cutValidators: Handler<'cutValidators'> = ({ readers, services }, { params }) =>
  readers.read(async ({ reader, height }) => {
    const row = await expectCut(reader, params.height);
    const { validator_set_id } = cutReference(row);
    const set = services.chain.setAt(row.height);
    if (set === undefined || toHex(set.id) !== validator_set_id) {
      throw new Refused('not_kept', 'expected a height whose set is still kept', {
        path: 'height',
      });
    }
    return finalizedAt(height, {
      height: row.height,
      validator_set_id,
      total_stake: String(set.totalStake),
      validators: set.validators.map(({ id, stake, publicKey }) => ({
        validator: toHex(id),
        stake: String(stake),
        public_key: toHex(publicKey),
      })),
      validator_set_hex: toHex(set.encoded),
    });
  });

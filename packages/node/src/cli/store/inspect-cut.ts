/**
 * One cut of a store, by height or id.
 */
import type { ChainReader, CutRow } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import {
  decodeCertificateHead,
  decodeCutBody,
  decodeCutHeader,
  signerIndexes,
} from 'svc-wasm/protocol';

export async function inspectCut(reader: ChainReader, id: string): Promise<object | undefined> {
  const row = await find(reader, id);
  if (row === undefined) return undefined;
  const header = decodeCutHeader(row.header);
  const body = await reader.cutBody(row.height);
  const certificate = await reader.certificate(row.height);
  const summary = await reader.summary(row.height);
  return {
    height: row.height,
    cut_id: row.cutId,
    parent_cut_id: toHex(header.parentCutId),
    time_millis: Number(header.time),
    proposer: header.proposer,
    state_root: toHex(header.stateRoot),
    outcome_root: toHex(header.outcomeRoot),
    validator_set_id: toHex(header.validatorSetId),
    next_validator_set_id: toHex(header.nextValidatorSetId),
    work_target: toHex(header.workTarget),
    registered_blocks:
      body === undefined ? null : decodeCutBody(body).blockIds.map((block) => toHex(block)),
    executed_blocks: summary?.executedWork ?? null,
    transactions: summary?.transactions ?? null,
    changes: summary?.changes ?? null,
    rewards: summary?.rewards.length ?? null,
    certificate_signers:
      certificate === undefined
        ? null
        : signerIndexes(decodeCertificateHead('precommit', certificate, 'certificate').signers),
  };
}

function find(reader: ChainReader, id: string): Promise<CutRow | undefined> {
  if (/^(?:0|[1-9][0-9]{0,14})$/.test(id)) return reader.cut(Number(id));
  return /^[0-9a-f]{96}$/.test(id) ? reader.cutById(id) : Promise.resolve(undefined);
}

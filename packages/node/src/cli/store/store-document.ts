/**
 * What there is to tell of a store: how far it is and what it keeps, or one thing in it.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, EXIT } from 'svc-base/cli';
import type { ChainReader, CutRow, WorkRecord } from 'svc-storage';
import { inspectTransaction as inspectWire } from 'svc-wasm';
import { encodeAddress, fromHex, toHex } from 'svc-wasm/base';
import {
  decodeBlockBody,
  decodeCertificateHead,
  decodeCutBody,
  decodeCutHeader,
  decodeWorkBlock,
  minerTag,
  signerIndexes,
} from 'svc-wasm/protocol';
import type { CommandOptions } from '../config-options.ts';
import { type ChainPlace, chainPlace, withReader } from './open-store.ts';

/** Whether a text has the form of an identifier: 96 lower-case hexadecimal characters. */
export function isIdentifier(text: string): boolean {
  return /^[0-9a-f]{96}$/.test(text);
}

/**
 * One work block of a store, by id.
 */
async function inspectBlock(
  reader: ChainReader,
  id: string,
  place: ChainPlace,
): Promise<object | undefined> {
  if (!isIdentifier(id)) return undefined;
  const work = await reader.work(id);
  const bytes = await bytesOf(reader, id, place);
  if (work === undefined && bytes === undefined) return undefined;
  return { block_id: id, ...(work === undefined ? {} : workOf(work, place)), ...bytes };
}

function workOf({ registeredHeight, payoutAddress, reward }: WorkRecord, place: ChainPlace) {
  return {
    registered_cut: registeredHeight,
    executed_cut: registeredHeight + 1,
    payout_address: encodeAddress(fromHex(payoutAddress), place.config.network),
    reward:
      reward === null
        ? null
        : {
            share: reward.share,
            fees: reward.fees,
            amount: reward.amount,
            outpoint: reward.outpoint,
            output_amount: reward.outputAmount,
          },
  };
}

async function bytesOf(reader: ChainReader, id: string, { manifest, config }: ChainPlace) {
  const headerBytes = await reader.blockHeader(id);
  const bodyBytes = await reader.blockBody(id);
  if (headerBytes === undefined || bodyBytes === undefined) return undefined;
  const { header, body } = decodeWorkBlock(headerBytes, bodyBytes, manifest);
  return {
    anchor_height: Number(header.anchorHeight),
    anchor_cut_id: toHex(header.anchorCutId),
    registration_window_end: Number(header.registrationWindowEnd),
    payout_address: encodeAddress(body.payout, config.network),
    miner_tag: minerTag(header.extranonce),
    parents: body.parents.map((parent) => toHex(parent)),
    transactions: body.transactions.map((transaction) => toHex(transaction.id)),
    body_bytes: bodyBytes.length,
  };
}

/**
 * One cut of a store, by height or id.
 */
async function inspectCut(reader: ChainReader, id: string): Promise<object | undefined> {
  const row = await findCut(reader, id);
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

function findCut(reader: ChainReader, id: string): Promise<CutRow | undefined> {
  if (/^(?:0|[1-9][0-9]{0,14})$/.test(id)) return reader.cut(Number(id));
  return /^[0-9a-f]{96}$/.test(id) ? reader.cutById(id) : Promise.resolve(undefined);
}

/**
 * One transaction of a store, by id: what became of it, and what it says if its block is kept.
 */
async function inspectTransaction(
  reader: ChainReader,
  id: string,
  place: ChainPlace,
): Promise<object | undefined> {
  if (!isIdentifier(id)) return undefined;
  const [status] = await reader.statuses([id]);
  if (status === undefined) return undefined;
  const { outcome, height, index } = status;
  return {
    transaction_id: id,
    outcome: outcome.kind,
    reason: outcome.reason === '' ? null : outcome.reason,
    fee: outcome.fee,
    block_id: outcome.blockId,
    executed_cut: height,
    index,
    contents: await contentsOf(reader, id, outcome.blockId, place),
  };
}

async function contentsOf(
  reader: ChainReader,
  id: string,
  blockId: string,
  { manifest }: ChainPlace,
): Promise<unknown> {
  const body = await reader.blockBody(blockId);
  if (body === undefined) return null;
  const { transactions } = decodeBlockBody(body, manifest);
  const found = transactions.find((transaction) => toHex(transaction.id) === id);
  if (found === undefined) return null;
  return JSON.parse(inspectWire(found.wire, manifest.json)) as unknown;
}

const INSPECTORS = { cut: inspectCut, block: inspectBlock, transaction: inspectTransaction };

/** One thing in a store. */
export interface Wanted {
  readonly kind: 'cut' | 'block' | 'transaction';
  readonly id: string;
}

export async function storeDocument(
  wanted: Wanted | null,
  options: CommandOptions,
): Promise<object> {
  const place = await chainPlace(options);
  return withReader(place, async (reader) =>
    wanted === null ? summaryOf(place, reader) : find(place, reader, wanted),
  );
}

async function find(place: ChainPlace, reader: ChainReader, { kind, id }: Wanted): Promise<object> {
  const found = await INSPECTORS[kind](reader, id, place);
  if (found !== undefined) return found;
  throw new CliError(EXIT.failed, `there is no ${kind} ${id} in this store`, {
    hint: 'it is unknown, not executed yet, or was pruned away',
  });
}

function summaryOf({ config, chainId }: ChainPlace, { head, retention }: ChainReader): object {
  return {
    network: config.network,
    chain_id: chainId,
    data_dir: config.dataDir,
    head: { height: head.height, cut_id: head.cutId, state_root: head.stateRoot },
    outputs: head.outputs,
    retention: {
      mode: retention.mode,
      first_height: retention.firstHeight,
      indexed_from: retention.indexedFrom,
      blocks_from: retention.blocksFrom,
    },
    bytes: diskSizes(config.dataDir),
  };
}

/** How much room the parts of a data directory take. */
function diskSizes(directory: string): Record<string, number> {
  const sizes: Record<string, number> = {};
  for (const name of readdirSync(directory).sort()) sizes[name] = bytesBelow(join(directory, name));
  return sizes;
}

function bytesBelow(path: string): number {
  const found = lstatSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0);
}

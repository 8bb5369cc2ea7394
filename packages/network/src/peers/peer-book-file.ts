/**
 * The peer book and the bans in a file, `peers.json`. It is a memory aid: one that cannot be read, or is not what was
 * written, is set aside, and the node starts without.
 */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readBounded, replaceFile } from 'svc-base/node';
import { type Log, messageOf } from 'svc-base/pure';
import { canonicalHost } from '../base/addresses.ts';
import { canonicalPeerId } from '../host/multiaddresses.ts';
import type { Ban, Bans } from './bans.ts';
import type { KnownPeer, PeerBook } from './peer-book.ts';

const VERSION = 1;
const FILE_BYTES_MAX = 4_194_304;

interface Stored {
  readonly version: typeof VERSION;
  /** Checksum of peers and bans as JSON without spaces; early files have none. */
  readonly sum: string;
  readonly peers: readonly KnownPeer[];
  readonly bans: readonly Ban[];
}

export class PeerBookFile {
  readonly #path: string;
  readonly #log: Log;

  constructor(directory: string, log: Log) {
    this.#path = join(directory, 'peers.json');
    this.#log = log;
  }

  async load(book: PeerBook, bans: Bans): Promise<void> {
    try {
      const bytes = await readBounded(this.#path, FILE_BYTES_MAX);
      if (bytes === undefined) return;
      const { peers, bans: stored } = parse(new TextDecoder().decode(bytes));
      for (const peer of peers) {
        const { source = null, isAnchor = false } = peer as Partial<KnownPeer>;
        book.restore({ ...peer, source, isAnchor });
      }
      for (const ban of stored) bans.restore(ban);
    } catch (error) {
      this.#log.warn(
        { file: this.#path, reason: messageOf(error) },
        'the peer book cannot be read; starting without',
      );
      await rename(this.#path, `${this.#path}.damaged`).catch(() => {});
    }
  }

  async save(book: PeerBook, bans: Bans): Promise<void> {
    const contents = { peers: book.list(), bans: bans.list() };
    const stored: Stored = { version: VERSION, sum: sumOf(contents), ...contents };
    await replaceFile(this.#path, new TextEncoder().encode(`${JSON.stringify(stored, null, 1)}\n`));
  }
}

function parse(text: string): Pick<Stored, 'peers' | 'bans'> {
  const document: unknown = JSON.parse(text);
  if (!isObject(document) || document['version'] !== VERSION) throw new Error('unknown version');
  const { peers, bans, sum } = document;
  if (sum !== undefined && sum !== sumOf({ peers, bans }))
    throw new Error('it is not what was written');
  if (!Array.isArray(peers) || !Array.isArray(bans)) throw new Error('expected two lists');
  if (!peers.every(isKnownPeer)) throw new Error('a peer is malformed');
  if (!bans.every(isBan)) throw new Error('a ban is malformed');
  return { peers, bans };
}

function sumOf({ peers, bans }: { readonly peers: unknown; readonly bans: unknown }): string {
  return crc32(JSON.stringify([peers, bans])).toString(16);
}

function isKnownPeer(value: unknown): value is KnownPeer {
  if (!isObject(value) || !isObject(value['address'])) return false;
  const { host, port } = value['address'];
  const numbers = ['lastSeenMillis', 'lastTriedMillis', 'failures', 'score', 'scoredAtMillis'];
  return (
    typeof value['id'] === 'string' &&
    canonicalPeerId(value['id']) !== undefined &&
    typeof value['isProven'] === 'boolean' &&
    typeof host === 'string' &&
    canonicalHost(host) === host &&
    Number.isInteger(port) &&
    numbers.every((name) => Number.isFinite(value[name])) &&
    ['undefined', 'string', 'object'].includes(typeof value['source']) &&
    ['undefined', 'boolean'].includes(typeof value['isAnchor'])
  );
}

function isBan(value: unknown): value is Ban {
  return (
    isObject(value) &&
    typeof value['subject'] === 'string' &&
    typeof value['reason'] === 'string' &&
    Number.isFinite(value['untilMillis'])
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

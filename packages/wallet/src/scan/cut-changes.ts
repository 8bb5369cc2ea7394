/**
 * What a certified cut did to addresses of the wallet, with nothing left out: the header commits to the list of all changes
 * (`docs/protocol.md` 9.6). Either the whole list is read and its root compared, or the node proves all changes of each
 * address, whichever needs fewer bytes. A node that does neither conceals or invents something, and is not believed.
 */
import { ADDRESSES_MAX, ROUTES } from 'svc-api';
import { type Client, ClientError } from 'svc-client';
import {
  type CertifiedCut,
  checkCutChanges,
  type Network,
  type ProvenChange,
  SvcError,
} from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { CHANGE_BYTES, decodeChangesProof, selectCutChanges } from 'svc-wasm/protocol';
import type { WalletError } from '../errors.ts';
import type { AddressBook } from '../keys/address-book.ts';
import { reading } from '../node/node-fault.ts';
import type { Addresses } from '../state/addresses.ts';
import { type Change, inParallel } from './change.ts';

export interface CutChangesPorts {
  readonly client: Pick<Client, 'cutLeaves' | 'proofsChanges'>;
  readonly network: Network;
  readonly book: Pick<AddressBook, 'idOf' | 'mayHave' | 'size'>;
  readonly addresses: Pick<Addresses, 'references'>;
  /** The error that a node is not believed with, which stops payments too. */
  disbelieve(message: string): WalletError;
}

/** In an answer a list is in base64, and a proof in hexadecimal. */
const LEAF_CHARACTERS = (CHANGE_BYTES * 4) / 3;
const PROVEN_LEAF_CHARACTERS = (CHANGE_BYTES + 8) * 2;
const NODE_CHARACTERS = 48 * 2;
/** A full cut has about 13,000 changes. */
const COUNT_FULL = 16_384;
/** More leaves than any cut has. */
const COUNT_MAX = 1 << 20;
const PROOFS_AT_ONCE = 4;

type Found = ReadonlyMap<string, readonly ProvenChange[]>;

export class CutChanges {
  readonly #ports: CutChangesPorts;
  /** How long the list of the last cut was. */
  #lastCount = 0;

  constructor(ports: CutChangesPorts) {
    this.#ports = ports;
  }

  /** All changes of all addresses of the wallet, in the order of the cut. */
  async ofWallet(cut: CertifiedCut): Promise<Change[]> {
    const { addresses, book } = this.#ports;
    if (book.size === 0) return [];
    if (listCharacters(this.#lastCount) <= proofCharacters(book.size, this.#lastCount)) {
      const listed = await this.#readList(cut, true);
      if (listed !== undefined) return listed;
    }
    const all: string[] = [];
    for (let after = 0; ; ) {
      const batch = addresses.references(after, COUNT_FULL);
      all.push(...batch.map(({ address }) => address));
      after = batch.at(-1)?.id ?? after;
      if (batch.length < COUNT_FULL) break;
    }
    return await this.ofAddresses(cut, all);
  }

  /** All changes of these addresses, in the order of the cut. */
  async ofAddresses(cut: CertifiedCut, addresses: readonly string[]): Promise<Change[]> {
    const batches = Array.from({ length: Math.ceil(addresses.length / ADDRESSES_MAX) }, (_, at) =>
      addresses.slice(at * ADDRESSES_MAX, (at + 1) * ADDRESSES_MAX),
    );
    let found: Found[];
    try {
      found = await inParallel(PROOFS_AT_ONCE, batches, (batch) => this.#prove(cut, batch));
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      const wanted = new Set(addresses);
      const listed = (await this.#readList(cut, false)) ?? [];
      return listed.filter(({ address }) => wanted.has(address));
    }
    const changes = found.flatMap((each) =>
      [...each].flatMap(([address, some]) => some.map((change) => [address, change] as const)),
    );
    changes.sort(([, a], [, b]) => a.index - b.index);
    return changes.map(([address, change]) => changeOf(cut, address, change));
  }

  async #prove(cut: CertifiedCut, addresses: readonly string[]): Promise<Found> {
    const height = Number(cut.height);
    const { client } = this.#ports;
    const answer = await reading(client.proofsChanges({ height, addresses: [...addresses] }));
    return this.#checked(cut, () => {
      const proof = fromHex(answer.proof_hex);
      const found = checkCutChanges(proof, cut, addresses);
      this.#lastCount = decodeChangesProof(proof).list.count;
      return found;
    });
  }

  /** Reads the list of a cut; undefined where proofs turn out to need fewer bytes, if they may be asked for. */
  async #readList(cut: CertifiedCut, mayProve: boolean): Promise<Change[] | undefined> {
    const { book, client, network } = this.#ports;
    const height = Number(cut.height);
    const { maximum } = ROUTES.cutLeaves.page;
    const dear = Math.ceil(proofCharacters(book.size, COUNT_FULL) / LEAF_CHARACTERS);
    const limit = mayProve ? Math.min(maximum, dear) : maximum;
    const pages: Buffer[] = [];
    let count = 0;
    let cursor: string | undefined;
    do {
      const page = await reading(client.cutLeaves({ height, limit, ...asked(cursor) }));
      const bytes = Buffer.from(page.leaves_base64, 'base64');
      pages.push(bytes);
      count += Math.ceil(bytes.length / CHANGE_BYTES);
      cursor = page.next_cursor;
      const rest = page.count - count;
      const isProofShorter = listCharacters(rest) > proofCharacters(book.size, page.count);
      if (mayProve && cursor !== undefined && pages.length === 1 && isProofShorter) {
        this.#lastCount = page.count;
        return undefined;
      }
      if (cursor !== undefined && (bytes.length === 0 || count > COUNT_MAX))
        throw this.#disbelieved(cut, 'the list has no end');
    } while (cursor !== undefined);
    this.#lastCount = count;
    const own = this.#checked(cut, () =>
      selectCutChanges(Buffer.concat(pages), cut, network, (address) => book.mayHave(address)),
    );
    return own
      .filter(({ address }) => book.idOf(address) !== undefined)
      .map((change) => changeOf(cut, change.address, change));
  }

  #checked<T>(cut: CertifiedCut, check: () => T): T {
    try {
      return check();
    } catch (error) {
      if (error instanceof SvcError) throw this.#disbelieved(cut, error.message);
      throw error;
    }
  }

  #disbelieved({ height }: CertifiedCut, fault: string): WalletError {
    const message = `the node does not show all changes of cut ${height} that validators signed: ${fault}`;
    return this.#ports.disbelieve(message);
  }
}

function listCharacters(count: number): number {
  return count * LEAF_CHARACTERS;
}

/** About how long the proofs of so many addresses are: for most of them the leaves on both sides, and a path. */
function proofCharacters(addresses: number, count: number): number {
  const each = Math.min(addresses, ADDRESSES_MAX);
  const nodes = Math.max(0, Math.log2(count / each)) * NODE_CHARACTERS;
  const leaves = Math.min(2, count / each) * PROVEN_LEAF_CHARACTERS;
  return addresses * (leaves + nodes);
}

function asked(cursor: string | undefined): { readonly cursor?: string } {
  return cursor === undefined ? {} : { cursor };
}

/** Whether the node cannot prove that much in one answer. */
function isTooLarge(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof ClientError && cause.code === 'too_many_items';
}

function changeOf(
  { height }: CertifiedCut,
  address: string,
  { amount, kind, output, source, transactionId }: ProvenChange,
): Change {
  return {
    address,
    finalized_height: Number(height),
    kind,
    outpoint: { transaction_id: output.transactionId, output_index: output.outputIndex },
    amount: String(amount),
    source,
    transaction_id: transactionId,
  };
}

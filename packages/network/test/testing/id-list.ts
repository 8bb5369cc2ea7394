/**
 * A list of cut ids that proves any of them, `docs/protocol.md` 8.8.
 */
import { encodeLeavesProof, listNode, listRoot, proveLeaves } from 'svc-wasm/protocol';

export class IdList {
  readonly #ids: readonly Uint8Array[];

  constructor(ids: readonly Uint8Array[]) {
    this.#ids = ids;
  }

  /** The root of the list of the first so many ids. */
  root(height: number): Uint8Array {
    return listRoot(height, this.#treeOver(0, height));
  }

  /** What a node sends of the list of the first `height` ids; undefined if it has fewer. */
  proof(height: number, from: number, count: number): Uint8Array | undefined {
    if (height > this.#ids.length) return undefined;
    const indexes = Array.from({ length: count }, (_, place) => from + place);
    const list = proveLeaves(height, indexes, (first, end) => this.#treeOver(first, end));
    return encodeLeavesProof(list, this.#ids.slice(from, from + count));
  }

  #treeOver(first: number, end: number): Uint8Array {
    if (end - first === 1) return this.#ids[first] as Uint8Array;
    let half = 1;
    while (half * 2 < end - first) half *= 2;
    return listNode(this.#treeOver(first, first + half), this.#treeOver(first + half, end));
  }
}

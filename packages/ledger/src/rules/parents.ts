/**
 * Parents of work blocks. They name blocks that the 96 cuts up to the anchor registered, or, where
 * those registered none, the anchor itself. So a block cannot be made before its parents, and
 * whether it may be registered depends on its anchor alone, not on the cut that registers it.
 */
import type { CutContext } from '../context.ts';
import type { RegisteredBlock } from '../cut.ts';
import { type Identifier, numberKey } from '../identifiers.ts';
import { PARENT_CUTS, REGISTRATION_WINDOW_CUTS } from '../parameters.ts';
import type { StateView } from '../view.ts';

/** A block of the oldest open anchor may name what this many cuts ago was registered. */
const REMEMBERED_CUTS = REGISTRATION_WINDOW_CUTS - 1 + PARENT_CUTS - 1;

/** The first cut whose blocks may be parents of a block with this anchor. */
export function oldestParentCut(anchorHeight: number): number {
  return Math.max(1, anchorHeight - PARENT_CUTS + 1);
}

/** Which cut registered which block, read from the newest cut backwards on demand. */
export class RecentBlocks {
  readonly #view: StateView;
  readonly #cutOf = new Map<Identifier, number>();
  readonly #cutsWithBlocks: number[] = [];
  #next: number;

  constructor(view: StateView, newest: number) {
    this.#view = view;
    this.#next = newest;
  }

  parentsHold({ anchorHeight, anchorCutId, parents }: RegisteredBlock): boolean {
    const oldest = oldestParentCut(anchorHeight);
    const isWithin = (cut: number) => cut >= oldest && cut <= anchorHeight;
    if (parents.every((id) => isWithin(this.#find(id, oldest)))) return true;
    while (this.#next >= oldest) this.#readNext();
    if (this.#cutsWithBlocks.some(isWithin)) return false;
    return parents.length === 1 && parents[0] === anchorCutId;
  }

  /** The cut that registered the block; 0 if none did since `oldest`. */
  #find(id: Identifier, oldest: number): number {
    while (!this.#cutOf.has(id) && this.#next >= oldest) this.#readNext();
    return this.#cutOf.get(id) ?? 0;
  }

  #readNext(): void {
    const cut = this.#next--;
    const record = this.#view.get('registered', numberKey(cut));
    if (record === undefined) return;
    this.#cutsWithBlocks.push(cut);
    for (const { id } of record.blocks) this.#cutOf.set(id, cut);
  }
}

/**
 * Forgets the blocks that no later cut can name as parents, and their bodies: all parents of a body are older than
 * its block, so none of them can be named any more either.
 */
export function forgetRegistered({ state, height }: CutContext): void {
  const key = numberKey(Math.max(0, height - REMEMBERED_CUTS));
  const registered = state.get('registered', key);
  if (registered === undefined) return;
  for (const { bodyRoot } of registered.blocks) state.delete('bodies', bodyRoot);
  state.delete('registered', key);
}

/**
 * Registration of work blocks. A block can be registered from the cut after its anchor until the
 * anchor's window closes; its parents were registered before; its id and its body count once; the order
 * within a cut is given.
 */
import { invariant } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import type { RegisteredBlock } from '../cut.ts';
import { blockKey, compareText, numberKey } from '../identifiers.ts';
import {
  BLOCK_BODY_BYTES_MAX,
  BLOCK_MASS_MAX,
  BLOCKS_PER_CUT_MAX,
  REGISTRATION_WINDOW_CUTS,
} from '../parameters.ts';
import type { StateView } from '../view.ts';
import { forgetRegistered, RecentBlocks } from './parents.ts';

export type RegistrationFault =
  | 'too_many'
  | 'too_large'
  | 'too_heavy'
  | 'outside_window'
  | 'out_of_order'
  | 'block_known'
  | 'body_known'
  | 'unknown_parent';

/** The first cut that can no longer register blocks of this anchor, and that pays them. */
export function registrationWindowEnd(anchorHeight: number): number {
  return anchorHeight + REGISTRATION_WINDOW_CUTS;
}

export function isRegistrable(anchorHeight: number, height: number): boolean {
  return anchorHeight < height && height < registrationWindowEnd(anchorHeight);
}

/** The order of blocks within a cut: the older anchor first, then by id. */
export function compareBlocks(a: RegisteredBlock, b: RegisteredBlock): number {
  return a.anchorHeight - b.anchorHeight || compareText(a.id, b.id);
}

/** Why a single block cannot be registered in this cut, or null. */
export function blockFault(
  view: StateView,
  height: number,
  block: RegisteredBlock,
  recent: RecentBlocks = new RecentBlocks(view, height - 1),
): RegistrationFault | null {
  if (!isRegistrable(block.anchorHeight, height)) return 'outside_window';
  if (block.bodyBytes > BLOCK_BODY_BYTES_MAX) return 'too_large';
  if (block.mass > BLOCK_MASS_MAX) return 'too_heavy';
  if (view.get('blocks', blockKey(block.anchorHeight, block.id)) !== undefined)
    return 'block_known';
  if (view.get('bodies', block.bodyRoot) !== undefined) return 'body_known';
  return recent.parentsHold(block) ? null : 'unknown_parent';
}

/** What is wrong with the blocks of a cut as a whole, or null. */
export function registrationFault(
  view: StateView,
  height: number,
  blocks: readonly RegisteredBlock[],
): RegistrationFault | null {
  if (blocks.length > BLOCKS_PER_CUT_MAX) return 'too_many';
  const recent = new RecentBlocks(view, height - 1);
  const bodies = new Set<string>();
  let previous: RegisteredBlock | undefined;
  for (const block of blocks) {
    const fault = blockFault(view, height, block, recent);
    if (fault !== null) return fault;
    if (previous !== undefined && compareBlocks(previous, block) >= 0) return 'out_of_order';
    if (bodies.has(block.bodyRoot)) return 'body_known';
    bodies.add(block.bodyRoot);
    previous = block;
  }
  return null;
}

export function registerBlocks(context: CutContext, blocks: readonly RegisteredBlock[]): void {
  const { state, height } = context;
  invariant(registrationFault(state, height, blocks) === null, 'a block cannot be registered');
  for (const { id, anchorHeight, bodyRoot, payoutAddress } of blocks) {
    const block = { registeredHeight: height, payoutAddress, fees: 0n };
    state.put('blocks', blockKey(anchorHeight, id), block);
    state.put('bodies', bodyRoot, { blockId: id });
  }
  forgetRegistered(context);
  if (blocks.length === 0) return;
  const registered = blocks.map(({ id, anchorHeight, bodyRoot }) => ({
    id,
    anchorHeight,
    bodyRoot,
  }));
  state.put('registered', numberKey(height), { blocks: registered });
}

/**
 * Listens, and never says anything.
 */
import type { Behaviour } from './behaviour.ts';

export const silent: Behaviour = { outgoing: () => [] };

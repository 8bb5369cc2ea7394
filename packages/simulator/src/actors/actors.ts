/**
 * Every way of being Byzantine, by name.
 */
import type { Behaviour } from '../node/node.ts';
import type { ActorName } from './actor-names.ts';
import { claimSplitter } from './claim-splitter.ts';
import * as lying from './lying-actors.ts';
import * as noisy from './noisy-actors.ts';

export const ACTORS: Readonly<Record<ActorName, Behaviour>> = { ...lying, ...noisy, claimSplitter };

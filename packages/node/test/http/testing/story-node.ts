/**
 * One server over the story for all tests of a suite; call it inside `suite`.
 */
import { after, before } from 'node:test';
import { HttpNode } from './http-node.ts';
import { type Story, story } from './story.ts';

export interface StoryNode {
  readonly node: HttpNode;
  readonly story: Story;
}

export function useStoryNode(): StoryNode {
  const endings: (() => Promise<void>)[] = [];
  let node: HttpNode | undefined;
  let told: Story | undefined;
  before(async () => {
    told = await story();
    const ending = (end: () => Promise<void>): void => void endings.push(end);
    node = await HttpNode.start({ after: ending as never }, {}, told.services);
  });
  after(async () => {
    for (const end of endings) await end();
  });
  return {
    get node() {
      return node as HttpNode;
    },
    get story() {
      return told as Story;
    },
  };
}

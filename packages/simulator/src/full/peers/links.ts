/**
 * Who knows whom as a peer in a simulation of full nodes. Whoever stays can reach everybody else who stays through peers
 * that stay, in whatever way others are gone for good.
 */
import type { NodePlan } from '../node-plan.ts';
import type { PeerPlan } from './peer-plan.ts';

interface Numbered {
  readonly index: number;
}

/** The first of the two dials the second. */
export type NodeLink<Node> = readonly [Node, Node];

/** Validators come first among the nodes, then observers. */
export function linksOf<Node extends Numbered>(
  nodes: readonly Node[],
  { validators, gone }: Pick<NodePlan, 'validators' | 'gone'>,
  { isStar }: Pick<PeerPlan, 'isStar'>,
): NodeLink<Node>[] {
  const centre = nodes[validators];
  if (isStar && centre !== undefined)
    return nodes.filter((node) => node !== centre).map((node) => [node, centre] as const);
  const links = ringOf(nodes);
  if (gone.size === 0) return links;
  const known = new Set(links.map(nameOf));
  const others = ringOf(nodes.filter(({ index }) => !gone.has(index)));
  return [...links, ...others.filter((link) => !known.has(nameOf(link)))];
}

function ringOf<Node>(nodes: readonly Node[]): NodeLink<Node>[] {
  return nodes.map((node, at) => [node, nodes[(at + 1) % nodes.length] as Node] as const);
}

function nameOf([from, to]: NodeLink<Numbered>): string {
  return `${from.index} ${to.index}`;
}

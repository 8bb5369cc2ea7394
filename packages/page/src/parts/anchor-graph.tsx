/**
 * Blocks that a cut registered, drawn where they are anchored: a line from each to the cut it was found for.
 */

import type { JSX } from 'preact';
import type { RecentBlock } from 'svc-api';
import { href } from '../app/router.ts';
import { whole } from '../format/figures.ts';
import { useNarrow } from './use-narrow.ts';

/** About as many units as the drawing has pixels, so that its texts can be read. */
const WIDTH = 720;
const WIDTH_NARROW = 300;
const ROW = 26;
/** The margin beside the first and the last cut. */
const SIDE = 46;
const SIDE_NARROW = 24;

export function AnchorGraph({
  height,
  blocks,
}: {
  height: number;
  blocks: readonly RecentBlock[];
}): JSX.Element {
  const anchors = [...new Set(blocks.map(({ anchor_height }) => anchor_height))].sort(
    (a, b) => a - b,
  );
  const first = anchors[0] ?? height;
  const span = Math.max(1, height - first);
  const [width, side] = useNarrow() ? [WIDTH_NARROW, SIDE_NARROW] : [WIDTH, SIDE];
  const xOf = (at: number) => side + ((at - first) / span) * (width - 2 * side);
  const tall = 46 + blocks.length * ROW;
  const sorted = [...blocks].sort((a, b) => a.anchor_height - b.anchor_height);
  return (
    <svg
      class="graph"
      viewBox={`0 0 ${width} ${tall}`}
      role="group"
      aria-label={`${blocks.length} blocks registered by cut ${height}, anchored to ${anchors.length} cuts`}
    >
      <line x1={side} x2={width - side} y1={tall - 26} y2={tall - 26} class="axis" />
      {[...anchors, height].map((at) => (
        <g key={at}>
          <circle
            cx={xOf(at)}
            cy={tall - 26}
            r={at === height ? 6 : 4}
            class={at === height ? 'cut own' : 'cut'}
          />
          <text x={xOf(at)} y={tall - 6} text-anchor="middle">
            {whole(at)}
          </text>
        </g>
      ))}
      {sorted.map((block, row) => {
        const y = 14 + row * ROW;
        const from = xOf(block.anchor_height);
        const to = xOf(height);
        const middle = (from + to) / 2;
        return (
          <a key={block.block_id} href={href('block', block.block_id)}>
            <path
              d={`M${from} ${tall - 30} C ${from} ${y}, ${from} ${y}, ${middle} ${y} S ${to} ${y}, ${to} ${tall - 32}`}
              class="way"
            />
            <rect x={middle - 36} y={y - 9} width="72" height="18" rx="4" class="block" />
            <text x={middle} y={y + 4} text-anchor="middle" class="name">
              {block.block_id.slice(0, 8)}
            </text>
          </a>
        );
      })}
    </svg>
  );
}

/**
 * Watches the record of signatures of a validator from outside, and remembers every height it was seen at.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeSignState } from 'svc-consensus/machine';
import type { PlannedNode } from './private-network.ts';
import { waited } from './wait.ts';

/** A height takes at least a second; the record is replaced as a whole, so every look finds one. */
const LOOK_MILLIS = 5;

/** The height of the last signature in the record, which must be there. */
export function lastSignedHeight(node: PlannedNode): number {
  const state = decodeSignState(readFileSync(recordOf(node)));
  return state?.last?.height ?? assert.fail(`${node.plan.name} has signed nothing`);
}

export class SignedHeights {
  readonly seen = new Set<number>();
  readonly #node: PlannedNode;
  readonly #timer: NodeJS.Timeout;

  constructor(node: PlannedNode) {
    this.#node = node;
    this.#timer = setInterval(() => this.seen.add(lastSignedHeight(node)), LOOK_MILLIS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Heights of the record that lie above one and not above another. */
  within(above: number, through: number): number[] {
    return [...this.seen].filter((height) => height > above && height <= through);
  }

  /** Waits until it signs again, above a height. */
  async above(height: number, millisMax: number): Promise<void> {
    const look = async () => ([...this.seen].some((at) => at > height) ? true : undefined);
    await waited(look, `${this.#node.plan.name} to sign above ${height}`, millisMax);
  }
}

function recordOf({ directory }: PlannedNode): string {
  return join(directory, 'data', 'validator', 'own', 'sign-state');
}

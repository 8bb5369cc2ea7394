/** A view that counts what is read through it: records, and rows of lists. */
import type { Table, Tables } from '../../src/records.ts';
import type { StateView } from '../../src/view.ts';

export class CountingView implements StateView {
  readonly #below: StateView;
  reads = 0;

  constructor(below: StateView) {
    this.#below = below;
  }

  get<T extends Table>(table: T, key: string): Tables[T] | undefined {
    this.reads++;
    return this.#below.get(table, key);
  }

  positionIdsOf(validatorId: string, after: string | null, limit: number): string[] {
    return this.#counted(this.#below.positionIdsOf(validatorId, after, limit));
  }

  validatorIds(): string[] {
    return this.#counted(this.#below.validatorIds());
  }

  blockIdsOf(anchorHeight: number): string[] {
    return this.#counted(this.#below.blockIdsOf(anchorHeight));
  }

  #counted(rows: string[]): string[] {
    this.reads += 1 + rows.length;
    return rows;
  }
}

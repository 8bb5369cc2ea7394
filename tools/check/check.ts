/**
 * One check of the repository: it answers with a list of problems, and an empty list is a pass.
 */
export interface Check {
  readonly name: string;
  run(): Promise<readonly string[]>;
}

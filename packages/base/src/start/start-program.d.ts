/** The types of `start-program.js`, which is plain JavaScript because Node 20 runs it. */

export interface StartedProgram {
  /** What the program is called. */
  readonly name: string;
  /** `import.meta.url` of the file in `bin`. */
  readonly url: string;
  /** Imports the program. */
  readonly load: () => Promise<{ main: (words: string[]) => Promise<number> }>;
}

export function startProgram(program: StartedProgram): Promise<void>;

/** Takes signals of the starter from the channel; one that also reached this process by itself counts once. */
export function followStarter(): void;

/**
 * How the readers of the parts of a directory say what they found.
 */
export type Add = (...parts: (string | Uint8Array)[]) => void;
export type Tell = (words: string) => void;

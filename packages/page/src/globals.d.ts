/** What the bundler puts in: the address of the worker, and of files that are imported. */
declare const PROVER_ADDRESS: string;

declare module '*.wasm' {
  const address: string;
  export default address;
}

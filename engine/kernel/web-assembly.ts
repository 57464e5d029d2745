/** What the kernel uses of WebAssembly, whose types belong to the library of browsers. */

export interface WasmMemory {
  readonly buffer: ArrayBuffer
  /** @param pages of 64 KB */
  grow(pages: number): number
}

interface WebAssemblyApi {
  readonly Memory: new (size: { initial: number; maximum: number }) => WasmMemory
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>) => { readonly exports: object }
}

/** Undefined: Node runs without it, or the browser has none. */
export const WASM_API = (globalThis as { readonly WebAssembly?: WebAssemblyApi }).WebAssembly

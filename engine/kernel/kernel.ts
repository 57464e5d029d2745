/**
 * The kernel: functions over bytes and packed numbers, compiled to WebAssembly. The same sources run as JavaScript where there is no WebAssembly, or none with
 * instructions for sixteen bytes at once.
 */
import { MEMORY } from './memory.js'
import * as headers from './headers.js'
import * as osmatch from './osmatch.js'
import * as osregex from './osregex.js'
import * as pcre2 from './pcre2.js'
import * as receiving from './receive.js'
import * as scans from './scan.js'
import * as texts from './texts.js'
import { WASM } from './wasm.js'
import { WASM_API } from './web-assembly.js'

/** What both forms of the kernel have. Truth values are numbers in WebAssembly. */
type Kernel = Pick<typeof osregex, 'searchOsRegex' | 'readsOsRegex'> &
  Pick<typeof pcre2, 'searchPcre2'> &
  Pick<typeof scans, 'scan' | 'nextOf' | 'indexOfLiteral'> &
  Pick<typeof texts, 'fold'> &
  Pick<typeof headers, 'findHeader'> &
  Pick<typeof receiving, 'receive'> & {
    readonly holds: (groups: number) => boolean | number
    readonly testOsMatch: (...of: Parameters<typeof osmatch.testOsMatch>) => boolean | number
  }

/** What reads JSON. It has no form as JavaScript: `json/` has readers that need none. */
interface JsonKernel {
  flatten(text: number, length: number, resume: number, mode: number): number
  nameHash(parent: number, address: number, size: number): number
  findShape(slots: number, mask: number): number
  unescapeString(text: number, start: number, end: number, folded: number): number
}

/** The kernel as JavaScript. */
export const PLAIN: Kernel = { ...osregex, ...osmatch, ...pcre2, ...scans, ...texts, ...headers, ...receiving }

/** The kernel as WebAssembly; null: it does not run here. */
export const COMPILED: (Kernel & JsonKernel) | null = instantiate()

function instantiate(): typeof COMPILED {
  if (WASM_API === undefined) return null
  try {
    const text = atob(WASM)
    const bytes = new Uint8Array(text.length)
    // `Uint8Array.from` leaves half a megabyte more in each thread.
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
    const module = new WASM_API.Module(bytes)
    return new WASM_API.Instance(module, { env: { memory: MEMORY } }).exports as Kernel & JsonKernel
  } catch {
    // Old browsers have no such instructions, and a policy may forbid WebAssembly.
    return null
  }
}

export const { searchOsRegex, readsOsRegex, searchPcre2, testOsMatch, scan, nextOf, indexOfLiteral, fold, holds, findHeader, receive } = COMPILED ?? PLAIN

/** Null where the kernel runs as JavaScript. */
export const flatten = COMPILED?.flatten ?? null
export const nameHash = COMPILED?.nameHash ?? null
export const findShape = COMPILED?.findShape ?? null
export const unescapeString = COMPILED?.unescapeString ?? null

/** Runs a subject of `steps.ts` at several sizes, and answers the steps of each: executions of blocks in folders of the code, and what built-in functions look at. */
import crypto from 'node:crypto'
import { Session } from 'node:inspector'
import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'
import type { StepsData, StepsRequest, Subjects } from './steps.js'

interface Coverage {
  readonly result: readonly { readonly url: string; readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[] }[]
}

const session = new Session()
session.connect()

/** Without a wait: the session is of this thread. */
function post(method: string, params: object = {}): unknown {
  let answer: unknown
  session.post(method, params, (error, result) => {
    if (error !== null) throw error
    answer = result
  })
  return answer
}

/** Small, as nothing of this run is counted. */
const FIRST_SIZE = 30

/** What built-in functions have looked at: characters, members, entries. */
let looked = 0

type Method = (this: { readonly length: number }, ...args: never[]) => unknown

/** Replaces methods by ones that add what they look at. */
function count(prototype: object, names: readonly string[], size: (self: { readonly length: number }, result: unknown, args: readonly unknown[]) => number): void {
  for (const name of names) {
    const method = Reflect.get(prototype, name) as Method
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value(this: { readonly length: number }, ...args: never[]): unknown {
        const result = method.apply(this, args)
        looked += size(this, result, args)
        return result
      },
    })
  }
}

const whole = (self: { readonly length: number }): number => self.length
const made = (_: unknown, result: unknown): number => (result as { readonly length: number }).length
const given = (_: unknown, __: unknown, [first]: readonly unknown[]): number => (first as { readonly length?: number } | undefined)?.length ?? 0
/** Up to where it was found, from where it was looked for. */
const upToFound = (self: { readonly length: number }, result: unknown, [, from = 0]: readonly unknown[]): number =>
  Math.max(0, (typeof result === 'number' && result >= 0 ? result : self.length) - Number(from))

count(String.prototype, ['indexOf', 'includes'], upToFound)
count(String.prototype, ['split', 'replace', 'replaceAll', 'toLowerCase', 'toUpperCase', 'trim'], whole)
count(Array.prototype, ['indexOf', 'includes'], upToFound)
count(Array.prototype, ['join', 'sort', 'unshift', 'reverse'], whole)
count(Array.prototype, ['splice'], ({ length }, _, [start]) => Math.max(0, length - Number(start)))
count(Array.prototype, ['slice', 'concat', 'flat'], made)
count(Object, ['keys', 'values', 'entries'], made)
for (const prototype of [Uint8Array, Uint16Array, Uint32Array, Int32Array].map((type) => type.prototype)) {
  count(prototype, ['indexOf', 'includes'], upToFound)
  count(prototype, ['fill'], whole)
  count(prototype, ['set'], given)
  count(prototype, ['slice'], made)
}
for (const iterator of [[].values(), new Set().values(), new Map().entries()]) count(Object.getPrototypeOf(iterator) as object, ['next'], () => 1)
// What parses, inflates or hashes at once. A method of a body that is read later counts when it is called: it then holds the whole body.
count(JSON, ['parse'], given)
count(TextDecoder.prototype, ['decode'], given)
count(zlib, ['inflateSync', 'inflateRawSync', 'gunzipSync', 'unzipSync', 'deflateSync', 'gzipSync', 'brotliDecompressSync'], given)
for (const hash of [crypto.createHash('sha1'), crypto.createHmac('sha1', '')]) count(Object.getPrototypeOf(hash) as object, ['update'], given)
syncBuiltinESMExports()
const { exec } = RegExp.prototype
RegExp.prototype.exec = function (given) {
  // As the method does with what is no text.
  const text = String(given)
  const from = this.global || this.sticky ? this.lastIndex : 0
  const result = exec.call(this, text)
  looked += result === null ? (this.sticky ? 1 : text.length - from) : result.index - from + result[0].length
  return result
}

post('Profiler.enable')
post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
const { module, folders, isWarmed } = JSON.parse(process.argv[2]) as StepsData
const { SUBJECTS } = (await import(module)) as { readonly SUBJECTS: Subjects }

async function stepsAt(subject: string, size: number): Promise<number> {
  post('Profiler.takePreciseCoverage')
  looked = 0
  await SUBJECTS[subject](size)
  const seen = looked
  const { result } = post('Profiler.takePreciseCoverage') as Coverage
  return result
    .filter(({ url }) => folders.some((folder) => url.includes(`/dist/${folder}/`)))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
    .reduce((sum, range) => sum + range.count, seen)
}

process.on('message', async ({ subject, sizes }: StepsRequest) => {
  try {
    // What is created once is created before steps are counted.
    for (const size of isWarmed ? sizes : [FIRST_SIZE]) {
      try {
        await SUBJECTS[subject](size)
      } catch {
        // Results may be wrong below a limit. The sizes that count throw as well.
      }
    }
    const steps: number[] = []
    for (const size of sizes) steps.push(await stepsAt(subject, size))
    process.send?.(steps)
  } catch (error) {
    process.send?.(String(error))
  }
})

/**
 * V8 flags for an engine and a service with short-lived objects. Three of V8's heuristics are wrong here. Two decide when a process has just started and rarely
 * revise the decision; the third counts the bytes of requests like objects.
 */
import { setFlagsFromString } from 'node:v8'

/** Bytes of bytecode; the default of these versions is 132 KB or 66 KB. */
const INTERRUPT_BUDGET = 400_000
/** Versions of V8 that know the flags; other versions would write a warning to stderr. 11 and 12 are those of Node 20 and 22, 13 is that of Node 24. */
const VERSIONS = { budget: ['11', '12'], pretenuring: ['11', '12', '13'], growing: ['11', '12', '13'], young: ['11', '12', '13'] } as const
/** How much a heap, with the buffers that it refers to, may grow until a major collection, in percent of what the last one has left. */
const HEAP_GROWTH = 100

/**
 * For the engine, in all threads: V8 optimises a function after a certain running time. The default is too early: a compiler has then processed only the first
 * files, and a matcher the first kinds of events, so the code is optimised for conditions that soon change, and then again. Three times that time makes a cold
 * compile of the stock ruleset a quarter faster, and events as fast or faster (`bench/README.md`). Functions that are already optimised stay as they are.
 */
export function tuneV8(): void {
  setFlag(`--interrupt-budget=${INTERRUPT_BUDGET}`, VERSIONS.budget)
}

/**
 * For a process that answers requests: V8 allocates the objects of a place in the code directly in the old generation if most of the first ones lived long.
 * While a service starts, or has a queue, all waiting objects live long, and later everything that such an object refers to is kept until the next major
 * collection: half of what requests create. Without this heuristic a logtest takes a quarter less processor time. The engine alone loses a few percent, so
 * processes that run nothing else do not call this.
 *
 * V8 also lets a heap that grows slowly grow by a tenth, to save memory, and counts buffers as part of it. An event loop of 40 MB that reads large bodies then
 * marks all its objects after every 8 MB that arrive, which is as much work as the rest of its part in a batch.
 *
 * A size of the young generation on the command line, as the supervisor of several processes gives, is for the main thread, which has it already: threads have that of
 * their limits.
 */
export function tuneV8ForRequests(): void {
  setFlag('--no-allocation-site-pretenuring', VERSIONS.pretenuring)
  setFlag(`--heap-growing-percent=${HEAP_GROWTH}`, VERSIONS.growing)
  setFlag('--max-semi-space-size=0', VERSIONS.young)
}

function setFlag(flag: string, versions: readonly string[]): void {
  if (versions.includes(process.versions.v8.split('.')[0])) setFlagsFromString(flag)
}

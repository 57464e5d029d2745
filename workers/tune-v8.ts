/**
 * V8 as an engine and a service of short-lived objects want it. Two of its guesses go wrong here, both made when a process has just begun and hardly ever
 * taken back.
 */
import { setFlagsFromString } from 'node:v8'

/** Bytes of bytecode; the default of these versions is 132 KB, or 66 KB. */
const INTERRUPT_BUDGET = 400_000
/** Versions of V8 that know the flags; another one would say on stderr that it does not. 11 and 12 are those of Node 20 and 22, 13 is that of Node 24. */
const VERSIONS = { budget: ['11', '12'], pretenuring: ['11', '12', '13'] } as const

/**
 * For the engine, threads included: V8 optimises a function when it has run for so long. By default that is too early: a compiler has then seen the first
 * files only, and a matcher the first kinds of events, so that code is optimised for what soon changes, and again. Three times as long takes a quarter off a
 * cold compile of the stock ruleset, and leaves events as fast or faster (`bench/README.md`). Functions that are already warm stay as they are.
 */
export function tuneV8(): void {
  setFlag(`--interrupt-budget=${INTERRUPT_BUDGET}`, VERSIONS.budget)
}

/**
 * For a process that answers requests: V8 makes the objects of a place in the code in the old generation at once when most of the first ones lived long.
 * While a service starts, or has a queue, all that waits lives long, and from then on what hangs on such an object is kept until the next major collection:
 * half of what requests make. Without that a logtest takes a quarter less of the processor. The engine alone loses a few percent, so it is not for
 * processes that run nothing else.
 */
export function tuneV8ForRequests(): void {
  setFlag('--no-allocation-site-pretenuring', VERSIONS.pretenuring)
}

function setFlag(flag: string, versions: readonly string[]): void {
  if (versions.includes(process.versions.v8.split('.')[0])) setFlagsFromString(flag)
}

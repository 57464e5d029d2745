/**
 * V8 as an engine and a service of short-lived objects want it. Two of its guesses go wrong here, both made when a process has just begun and hardly ever
 * taken back.
 */
import { setFlagsFromString } from 'node:v8'

/** Bytes of bytecode; the default of these versions is 132 KB, or 66 KB. */
const INTERRUPT_BUDGET = 400_000
/** V8 of Node 20 to 24. Another one may not know the flags, and would say so on stderr. */
const KNOWN_VERSIONS: readonly string[] = ['11', '12', '13']

/**
 * For the engine, threads included: V8 optimises a function when it has run for so long. By default that is too early: a compiler has then seen the first
 * files only, and a matcher the first kinds of events, so that code is optimised for what soon changes, and again. Three times as long takes a quarter off a
 * cold compile of the stock ruleset, and leaves events as fast or faster (`bench/README.md`). Functions that are already warm stay as they are.
 */
export function tuneV8(): void {
  setFlag(`--interrupt-budget=${INTERRUPT_BUDGET}`)
}

/**
 * For a process that answers requests: V8 makes the objects of a place in the code in the old generation at once when most of the first ones lived long.
 * While a service starts, or has a queue, all that waits lives long, and from then on what hangs on such an object is kept until the next major collection:
 * half of what requests make. Without that a logtest takes a quarter less of the processor. The engine alone loses a few percent, so it is not for
 * processes that run nothing else.
 */
export function tuneV8ForRequests(): void {
  setFlag('--no-allocation-site-pretenuring')
}

function setFlag(flag: string): void {
  if (KNOWN_VERSIONS.includes(process.versions.v8.split('.')[0])) setFlagsFromString(flag)
}

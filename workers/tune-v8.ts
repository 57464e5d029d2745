/**
 * V8 optimises a function when it has run for so long. By default that is too early for an engine: a compiler has then seen the first files only,
 * and a matcher the first kinds of events, so that code is optimised for what soon changes, and again. Three times as long takes a quarter off a cold
 * compile of the stock ruleset, and leaves events as fast or faster (`bench/README.md`).
 */
import { setFlagsFromString } from 'node:v8'

/** Bytes of bytecode; the default of these versions is 132 KB, or 66 KB. */
const INTERRUPT_BUDGET = 400_000
/** V8 of Node 20 to 24. Another one may not know the flag, and would say so on stderr. */
const KNOWN_VERSIONS: readonly string[] = ['11', '12', '13']

/** Tunes the process, its threads included. Functions that are already warm stay as they are. */
export function tuneV8(): void {
  if (KNOWN_VERSIONS.includes(process.versions.v8.split('.')[0])) setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`)
}

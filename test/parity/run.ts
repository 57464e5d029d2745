/** `npm run parity`: runs all recordings of the reference engine and prints a table. Exit code 1 if a suite is below its required share. */
import { haveConformance } from './conformance.js'
import { SUITES } from './suites.js'

const SHOWN = 10

if (!haveConformance()) {
  console.log('The recordings of the reference engine are not here (../shared/conformance): nothing was run.')
} else {
  let failed = false
  console.log(`${'suite'.padEnd(28)}${'answers'.padStart(9)}${'agree'.padStart(9)}${'per cent'.padStart(11)}${'mark'.padStart(8)}`)
  for (const suite of SUITES) {
    const { name, total, agreed, required, differences } = suite()
    const share = (100 * agreed) / total
    failed ||= share < required
    console.log(`${name.padEnd(28)}${String(total).padStart(9)}${String(agreed).padStart(9)}${share.toFixed(3).padStart(11)}${String(required).padStart(8)}`)
    for (const line of differences.slice(0, SHOWN)) console.log(`  ${line}`)
  }
  process.exitCode = failed ? 1 : 0
}

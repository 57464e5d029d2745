/** With `TEST_TIMES=FILE` the processor time of each test file is written there: `npm test` prints the time that passes, which says little on a busy machine. */
import { appendFileSync, readFileSync } from 'node:fs'
import { after, before } from 'node:test'

const FILE = process.env.TEST_TIMES
/** Clock ticks in a second on Linux. */
const TICKS = 100
/** Fields of `/proc/self/stat`, after the name of the program, of the time of child processes that have ended. */
const CHILD_TIMES = [13, 14]

/** Measures the suite around the call. */
export function measureFile(file: string): void {
  if (FILE === undefined) return
  let start = 0
  before(() => {
    start = seconds()
  })
  after(() => appendFileSync(FILE, `${(seconds() - start).toFixed(2)}\t${process.env.TEST_STORE ?? ''}${process.env.TEST_INSTANCES ?? ''}\t${file}\n`))
}

/** Processor time of this process, its threads, and its children that have ended. */
function seconds(): number {
  const { user, system } = process.cpuUsage()
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (user + system) / 1e6 + CHILD_TIMES.reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS
}

/**
 * Runs all tests, or the named groups of `groups.ts`: `npm test`, `npm test -- engine layout`. Each process of a group is a file here, as node:test starts
 * a process for each file.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism, freemem } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { GROUPS } from './groups.js'

/** Time limit of a process: a machine that is busy with other work takes a multiple of the usual time. */
const TIMEOUT_MS = 900_000

/** Processes more than there are cores: each of them waits for other processes and for threads half of its time. */
const WAITING = 3

/** Where Linux keeps files in memory. Tests write about a gigabyte together, nearly all of it into stores, which wait for the disk at each write. */
const MEMORY = '/dev/shm'
/** What has to be free there, and what of the machine's memory: files must not take it from the tests. */
const MEMORY_FREE_BYTES = { files: 4 * 2 ** 30, all: 8 * 2 ** 30 }

const FOLDER = new URL('./processes/', import.meta.url)
const named = process.argv.slice(2)
const unknown = named.filter((name) => !GROUPS.some((group) => group.name === name))
if (unknown.length > 0) throw new Error(`unknown groups: ${unknown.join(', ')}; there are ${GROUPS.map(({ name }) => name).join(', ')}`)

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER)
const files = GROUPS.filter(({ name }) => named.length === 0 || named.includes(name)).flatMap(({ name, processes = 1 }) =>
  Array.from({ length: processes }, (_, index) => {
    const file = fileURLToPath(new URL(`${name}-${index + 1}.js`, FOLDER))
    writeFileSync(file, `import '../support/runner-tracking.js'\nconst { runGroup } = await import('../run-group.js')\nrunGroup('${name}', ${index + 1})\n`)
    return file
  }),
)

const temporary = temporaryInMemory()
if (temporary !== null) process.env.TMPDIR = temporary
if (temporary !== null) {
  process.on('exit', () => rmSync(temporary, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
}

run({ files, concurrency: availableParallelism() + WAITING, timeout: TIMEOUT_MS })
  .on('test:fail', () => {
    process.exitCode = 1
  })
  .compose(new spec())
  .pipe(process.stdout)

/** A folder in memory for temporary files. Null: the environment names one, or this machine has none that is large enough and lets programs run. */
function temporaryInMemory(): string | null {
  if (process.env.TMPDIR !== undefined || freemem() < MEMORY_FREE_BYTES.all) return null
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize < MEMORY_FREE_BYTES.files) return null
    const folder = mkdtempSync(join(MEMORY, 'detection-content-tests-'))
    const program = join(folder, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
    if (spawnSync(program).status === 0) return folder
    rmSync(folder, { recursive: true })
  } catch {
    // There is no such folder here, or it cannot be written.
  }
  return null
}

/**
 * Runs all tests, or the named groups of `groups.ts`: `npm test`, `npm test -- engine layout`. Each process of a group is a file here, as node:test starts
 * a process for each file. One process more than there are cores: some of them wait for disks and for other processes.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { GROUPS } from './groups.js'

/** Of a process: a machine that is busy with other things takes a multiple of the usual time. */
const TIMEOUT_MS = 900_000

const FOLDER = new URL('./processes/', import.meta.url)
const named = process.argv.slice(2)
const unknown = named.filter((name) => !GROUPS.some((group) => group.name === name))
if (unknown.length > 0) throw new Error(`unknown groups: ${unknown.join(', ')}; there are ${GROUPS.map(({ name }) => name).join(', ')}`)

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER)
const files = GROUPS.filter(({ name }) => named.length === 0 || named.includes(name)).flatMap(({ name, processes = 1 }) =>
  Array.from({ length: processes }, (_, index) => {
    const file = fileURLToPath(new URL(`${name}-${index + 1}.js`, FOLDER))
    writeFileSync(file, `import { runGroup } from '../run-group.js'\nrunGroup('${name}', ${index + 1})\n`)
    return file
  }),
)

run({ files, concurrency: availableParallelism() + 1, timeout: TIMEOUT_MS })
  .on('test:fail', () => {
    process.exitCode = 1
  })
  .compose(new spec())
  .pipe(process.stdout)

/** The tables of docker/SCALING.md equal what the service and the model compute. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { predict } from '../../bench/server/scaling-model.js'
import { defaultProcesses, defaultWorkers } from '../../server/core/default-processes.js'
import { readConfig } from '../../server/core/config.js'
import { readPage } from './pages.js'

const PAGE = 'docker/SCALING.md'
const CORES = 16

test('the settings of the table are the defaults, and the memory is enough for them', () => {
  const { rulesetCacheMb } = readConfig({})
  const rows = tableOf(/^\| Cores /)
  assert.ok(rows.length > 0)
  for (const [cores, processes, workers, gigabytes] of rows.map((row) => row.map(numberOf))) {
    assert.equal(workers, defaultWorkers({ cores }, 1))
    const byMemory = (gigabytes: number): number => defaultProcesses({ cores, memory: gigabytes * 1024 ** 3, platform: 'linux' }, { workers, rulesetCacheMb })
    assert.equal(byMemory(gigabytes), processes, `${cores} cores`)
    if (processes > 1) assert.ok(byMemory(gigabytes * 0.9) < processes, `${cores} cores need less memory`)
  }
})

test('the shares of the model follow from the costs of the table', () => {
  const costs = new Map(
    tableOf(/^\| Microseconds /).map(([name, main, threads, rest]) => [name, { main: Number(main), threads: Number(threads), rest: Number(rest), generators: 0 }]),
  )
  const measured = tableOf(/^\| Processes /)
  assert.equal(costs.size, 3)
  assert.ok(measured.length > 0)
  for (const row of measured) {
    const [processes, threads] = row.map(numberOf)
    for (const [index, cost] of [...costs.values()].entries()) {
      const share = numberOf(row[2 + 2 * index]) / predict({ cores: CORES, processes, threads }, cost).rate
      assert.equal(String(Number(share.toFixed(2))), row[3 + 2 * index], row.join(' '))
    }
  }
})

/** The cells of each row of the table whose head matches. */
function tableOf(head: RegExp): string[][] {
  const lines = readPage(PAGE).split('\n')
  const start = lines.findIndex((line) => head.test(line)) + 2
  const end = lines.findIndex((line, index) => index >= start && !line.startsWith('|'))
  return lines.slice(start, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

function numberOf(cell: string): number {
  return Number(cell.replaceAll(',', ''))
}

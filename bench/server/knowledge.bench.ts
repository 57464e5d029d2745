/**
 * `node --expose-gc dist/bench/server/knowledge.bench.js [SECONDS]`: builds the knowledge base of the assistant and searches it by words: time of a build on an
 * otherwise idle event loop, how long it kept the loop, memory, and searches per second of the questions of the tests and of the most expensive ones.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { startService } from '../../server/app.js'
import { readConfig } from '../../server/core/config.js'
import { IndexedKnowledge } from '../../server/features/assistant/knowledge/base.js'
import { SEARCH_LIMIT } from '../../server/features/assistant/knowledge/knowledge.js'
import { createLog } from '../../server/core/observability/log.js'
import { TAGS } from '../../server/docs/tags.js'
import { TEMPLATES } from '../../server/content/templates/catalog.js'
import { ENGLISH, PORTUGUESE } from '../../test/server/features/assistant/knowledge/questions.js'
import { median } from '../median.js'
import { report } from '../report.js'

const BUILDS = 5
const LIMIT = 4
const MB = 1024 * 1024
const seconds = Number(process.argv[2] ?? 3)

// Only a started service has the routes.
const directory = mkdtempSync(join(tmpdir(), 'bench-'))
const config = readConfig({ NATIVE_SERVICE_PORT: '0', NATIVE_SERVICE_DATA_DIR: directory, NATIVE_SERVICE_LOG_LEVEL: 'fatal', NATIVE_SERVICE_WORKERS: '1' })
const service = await startService(config, { log: createLog(config) })
const { routes } = service
await service.close()
rmSync(directory, { recursive: true })

const log = { info: () => undefined, warn: () => undefined }
const base = new IndexedKnowledge({ declarations: () => ({ routes, tags: TAGS, templates: TEMPLATES }), folder: null, log, clock: Date.now })

function heapMb(): number | null {
  if (globalThis.gc === undefined) return null
  globalThis.gc()
  return process.memoryUsage().heapUsed / MB
}

const before = heapMb()
const builds: { readonly ms: number; readonly cpuMs: number; readonly keptMs: number }[] = []
for (let build = 0; build < BUILDS; build += 1) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const cpu = process.cpuUsage()
  const started = performance.now()
  delay.enable()
  await base.reindex()
  delay.disable()
  const { user, system } = process.cpuUsage(cpu)
  builds.push({ ms: performance.now() - started, cpuMs: (user + system) / 1000, keptMs: delay.max / 1e6 })
}
const held = heapMb()
report('knowledge', {
  title: `Build of ${base.size} records, median of ${BUILDS}`,
  columns: ['figure', 'value'],
  rows: [
    ['first build, ms', builds[0].ms],
    ['build, ms', median(builds.map(({ ms }) => ms))],
    ['build, ms of processor time', median(builds.map(({ cpuMs }) => cpuMs))],
    ['longest delay of the event loop, ms', median(builds.map(({ keptMs }) => keptMs))],
    ['memory, MB', before === null || held === null ? null : held - before],
  ],
})

const HOSTILE = {
  'every term misspelled': Array.from({ length: 200 }, (_, index) => `configuratoin${String.fromCharCode(97 + (index % 26))}${String.fromCharCode(97 + (index >> 3))}`).join(' '),
  'every term in thousands of records': 'rule decoder field option match group level log '.repeat(40),
  'every word with concepts': 'regra campo grupo nível pai condição padrão valor evento usuário erro lista nome arquivo requisição limite endereço senha organização versão '
    .repeat(15)
    .slice(0, 2000),
  'patterns alone': '[[[{1 '.repeat(330),
  'signs alone': '\\[{(.*'.repeat(330),
}

async function perSecond(questions: readonly string[], locale: 'en-US' | 'pt-BR', limit = LIMIT): Promise<number> {
  const until = performance.now() + seconds * 1000
  const started = performance.now()
  let count = 0
  while (performance.now() < until) {
    for (const question of questions) await base.search(question, { limit, locale })
    count += questions.length
  }
  return (count * 1000) / (performance.now() - started)
}

const rows: [string, number][] = [
  [
    'questions in English',
    await perSecond(
      ENGLISH.map(({ ask }) => ask),
      'en-US',
    ),
  ],
  [
    'questions in Portuguese',
    await perSecond(
      PORTUGUESE.map(({ ask }) => ask),
      'pt-BR',
    ),
  ],
]
for (const [name, question] of Object.entries(HOSTILE)) rows.push([name, await perSecond([question], 'en-US', SEARCH_LIMIT)])
report('knowledge', { title: 'Searches by words, one thread', columns: ['questions', 'searches/s'], rows })

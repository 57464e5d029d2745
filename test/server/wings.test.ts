/** An optional wing can be left out: the other routes answer as before. With `FULL=1` the sources are compiled without its folder, too. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { WINGS } from '../../server/features.js'
import { assistant } from '../../server/features/assistant/index.js'
import { billing } from '../../server/features/billing/index.js'
import { connections } from '../../server/features/connections/index.js'
import { feedback } from '../../server/features/feedback/index.js'
import { notifications } from '../../server/features/notifications/index.js'
import { platform } from '../../server/features/platform/index.js'
import { playground } from '../../server/features/playground/index.js'
import { scim } from '../../server/features/scim/index.js'
import { sso } from '../../server/features/sso/index.js'
import { bootstrap } from '../support/actors.js'
import { startTestApp } from '../support/app.js'
import { runs } from '../support/runs.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const OPTIONAL = { assistant, billing, connections, feedback, notifications, platform, playground, scim, sso }
/** It never ends by itself. */
const STREAMS = /\/stream$/

interface Answers {
  readonly routes: readonly string[]
  /** Status of each GET without parameters but the organization, by route. */
  readonly statuses: ReadonlyMap<string, number>
}

/** Starts a service with these wings, and asks what an admin can read. */
async function answersOf(wings = WINGS): Promise<Answers> {
  const app = await startTestApp({ wings })
  try {
    const admin = await bootstrap(app.client)
    const { body } = await admin.client.post<{ rule: { id: string } }>('/analysis/logtest-native', {
      input: { event: 'Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122' },
    })
    assert.equal(body.rule.id, '5710')
    const statuses = new Map<string, number>()
    for (const { id, method, path } of app.service.routes) {
      const filled = path.replace('{organization_id}', admin.organizationId)
      if (method === 'GET' && !filled.includes('{') && !STREAMS.test(filled)) statuses.set(id, (await admin.client.get(filled)).status)
    }
    return { routes: app.service.routes.map(({ id }) => id), statuses }
  } finally {
    await app.close()
  }
}

test('without an optional wing the others answer as before', async () => {
  const whole = await answersOf()
  assert.ok([...whole.statuses.values()].filter((status) => status === 200).length > 20)
  for (const [name, wing] of Object.entries(OPTIONAL)) {
    const { routes, statuses } = await answersOf(WINGS.filter((one) => one !== wing))
    // The playground has files and no routes.
    assert.equal(routes.length < whole.routes.length, wing !== playground, name)
    assert.deepEqual(statuses, new Map([...whole.statuses].filter(([id]) => routes.includes(id))), name)
  }
})

/** @returns what the compiler reports about the sources of the server without a folder and its lines in `features.ts` */
function compiledWithout(name: string): string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const host = ts.createCompilerHost({ ...options, noEmit: true })
  const { fileExists, readFile } = host
  const isGone = (path: string): boolean => path.replaceAll('/', sep).startsWith(join(ROOT, 'server', 'features', name) + sep)
  host.fileExists = (path) => !isGone(path) && fileExists(path)
  host.readFile = (path) => {
    const text = isGone(path) ? undefined : readFile(path)
    if (text === undefined || !path.endsWith('/server/features.ts')) return text
    const lines = text.split('\n').filter((line) => !line.includes(`/features/${name}/`))
    return lines.join('\n').replace(new RegExp(`, ${name}\\b`), '')
  }
  const program = ts.createProgram([join(ROOT, 'server', 'main.ts')], { ...options, noEmit: true }, host)
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
}

for (const name of runs([], Object.keys(OPTIONAL)))
  test(`the service compiles without the folder of ${name}`, () => {
    assert.match(readFileSync(join(ROOT, 'server', 'features.ts'), 'utf8'), new RegExp(`features/${name}/`))
    assert.deepEqual(compiledWithout(name), [])
  })

/** The corridor: the files that a warm logtest passes on the main thread, by V8's coverage. Each is one that its reader has to know. */
import assert from 'node:assert/strict'
import { Session } from 'node:inspector/promises'
import test from 'node:test'
import { startService } from '../../../server/app.js'
import { readConfig } from '../../../server/core/config.js'
import { createLog } from '../../../server/core/observability/log.js'
import { bootstrap, createKey } from '../../support/actors.js'
import { sharedPool } from '../../support/app.js'
import { Client } from '../../support/client.js'
import { directoriesForTests } from '../../support/storage.js'

const FILES_LIMIT = 60
/** Other work of the process touches other files. What all logtests touch is their own, if so many in a row have left out no more of it. */
const LOGTESTS = 8
const BUILD = new URL('../../../', import.meta.url).href
const newDirectory = directoriesForTests()

test(`a warm logtest passes at most ${FILES_LIMIT} files, one of them of the store`, async (t) => {
  const config = readConfig({ NATIVE_SERVICE_PORT: '0', NATIVE_SERVICE_DATA_DIR: newDirectory() })
  const service = await startService(config, { log: createLog(config, { write: () => {} }), pool: sharedPool() })
  t.after(() => service.close())
  const { client } = await createKey(await bootstrap(new Client(service.url)), ['analysis:run'])
  const logtest = async (): Promise<void> => {
    const { status } = await client.post('/analysis/logtest-native', { input: { event: 'Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122' } })
    assert.equal(status, 200)
  }
  await logtest()
  await logtest()
  const session = new Session()
  session.connect()
  t.after(() => session.disconnect())
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  let passed: readonly string[] | null = null
  for (let same = 0; same < LOGTESTS; ) {
    await session.post('Profiler.takePreciseCoverage')
    await logtest()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const touched = result.flatMap(({ url, functions }) =>
      functions.some(({ ranges }) => ranges[0].count > 0) && /^(?:server|workers|engine)\//.test(below(url)) ? [below(url)] : [],
    )
    const common: readonly string[] = passed === null ? touched : passed.filter((file) => touched.includes(file))
    same = common.length === passed?.length ? same + 1 : 0
    passed = common
  }
  const files = (passed ?? []).toSorted()
  assert.ok(files.includes('server/analysis/service.js') && files.length <= FILES_LIMIT, `${files.length} files: ${files.join(', ')}`)
  // The rate limits count each request there.
  assert.deepEqual(
    files.filter((file) => file.startsWith('server/core/storage/')),
    ['server/core/storage/embedded/windows.js'],
  )
})

function below(url: string): string {
  return url.startsWith(BUILD) ? url.slice(BUILD.length) : ''
}

/** The custom content folder of a running service: what is put there counts soon, and what is taken away is gone. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bootstrap } from '../support/actors.js'
import { Client } from '../support/client.js'
import { startServiceProcess } from '../support/service-process.js'

/** A folder that isn't noticed by then is not watched. */
const NOTICE_MS = 60_000
const RULE = '<group name="local,"><rule id="100200" level="9"><if_sid>5710</if_sid><description>Custom content at work</description></rule></group>'
const METRICS_TOKEN = 'a-token-for-the-metrics-of-tests-long-enough'

test('a rule in the folder fires without a restart, and no more when it is removed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'detection-content-'))
  const service = await startServiceProcess({ NATIVE_SERVICE_DATA_DIR: folder, NATIVE_SERVICE_API_RATE_LIMIT_ENABLED: 'false', NATIVE_SERVICE_METRICS_TOKEN: METRICS_TOKEN })
  try {
    const { client } = await bootstrap(new Client(service.origin))
    const event = 'Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122'
    const ruleOf = async (include_disk_custom: boolean): Promise<string | undefined> => {
      const { body, status, text } = await client.post<{ rule: { id: string } | null }>('/analysis/logtest-native', { include_disk_custom, input: { event } })
      assert.equal(status, 200, text)
      return body.rule?.id
    }
    const until = async (id: string): Promise<void> => {
      for (const deadline = Date.now() + NOTICE_MS; (await ruleOf(true)) !== id; await sleep(100)) assert.ok(Date.now() < deadline, `rule ${id} never fired`)
    }
    assert.equal(await ruleOf(true), '5710')
    const rules = join(folder, 'custom/rules')
    mkdirSync(rules, { recursive: true })
    writeFileSync(join(rules, 'local_custom.xml'), RULE)
    await until('100200')
    assert.equal(await ruleOf(false), '5710')
    // It counts as reloaded when all threads have it.
    const metrics = async (): Promise<string> => (await client.get(`${service.origin}/metrics`, { token: METRICS_TOKEN })).text
    for (const deadline = Date.now() + NOTICE_MS; !/^custom_content_reloads 1$/m.test(await metrics()); await sleep(100))
      assert.ok(Date.now() < deadline, 'the reload is not counted')
    assert.match(await metrics(), /^custom_content_stale 0$/m)
    rmSync(rules, { recursive: true })
    await until('5710')
  } finally {
    await service.stop('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
})

/** The custom content folder of a running service: what is put there counts soon, and what is taken away is gone. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { bootstrap } from '../../support/actors.js'
import { Client } from '../../support/client.js'
import { SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'

/** A folder that isn't noticed by then is not watched. */
const NOTICE_MS = 60_000
const RULE = '<group name="local,"><rule id="100200" level="9"><if_sid>501</if_sid><description>Custom content at work</description></rule></group>'
const METRICS_TOKEN = 'a-token-for-the-metrics-of-tests-long-enough'

test('a rule in the folder fires without a restart, and no more when it is removed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'detection-content-'))
  const service = await startServiceProcess({
    ...SMALL_RULESET,
    NATIVE_SERVICE_DATA_DIR: folder,
    NATIVE_SERVICE_API_RATE_LIMIT_ENABLED: 'false',
    NATIVE_SERVICE_METRICS_TOKEN: METRICS_TOKEN,
  })
  try {
    const { client } = await bootstrap(new Client(service.origin))
    const event = 'Jan  5 10:11:12 web1 app[2201]: login admin from 203.0.113.7'
    const ruleOf = async (include_disk_custom: boolean): Promise<string | undefined> => {
      const { body, status, text } = await client.post<{ rule: { id: string } | null }>('/analysis/logtest-native', { include_disk_custom, input: { event } })
      assert.equal(status, 200, text)
      return body.rule?.id
    }
    const until = async (id: string): Promise<void> => {
      for (const deadline = Date.now() + NOTICE_MS; (await ruleOf(true)) !== id; await sleep(100)) assert.ok(Date.now() < deadline, `rule ${id} never fired`)
    }
    assert.equal(await ruleOf(true), '501')
    const rules = join(folder, 'custom/rules')
    mkdirSync(rules, { recursive: true })
    writeFileSync(join(rules, 'local_custom.xml'), RULE)
    await until('100200')
    assert.equal(await ruleOf(false), '501')
    // It counts as reloaded when all threads have it.
    const metrics = async (): Promise<string> => (await client.get(`${service.origin}/metrics`, { token: METRICS_TOKEN })).text
    for (const deadline = Date.now() + NOTICE_MS; !/^custom_content_reloads 1$/m.test(await metrics()); await sleep(100))
      assert.ok(Date.now() < deadline, 'the reload is not counted')
    assert.match(await metrics(), /^custom_content_stale 0$/m)
    rmSync(rules, { recursive: true })
    await until('501')
  } finally {
    await service.stop('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a file with which Wazuh would not start stops nobody', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'detection-content-'))
  const file = join(folder, 'custom/rules/local_custom.xml')
  const broken = RULE.replace('level="9"', 'level="ninety"')
  mkdirSync(join(folder, 'custom/rules'), { recursive: true })
  writeFileSync(file, broken)
  const service = await startServiceProcess({
    ...SMALL_RULESET,
    NATIVE_SERVICE_DATA_DIR: folder,
    NATIVE_SERVICE_API_RATE_LIMIT_ENABLED: 'false',
    NATIVE_SERVICE_METRICS_TOKEN: METRICS_TOKEN,
  })
  try {
    const { client } = await bootstrap(new Client(service.origin))
    const input = { event: 'Jan  5 10:11:12 web1 app[2201]: login admin from 203.0.113.7' }
    /** What an event gives, what the answer says about the custom content, and what the instance says about itself. */
    const told = async (): Promise<object> => {
      const { body } = await client.post<{ ok: boolean; rule: { id: string }; diagnostics: { code: string }[] }>('/analysis/logtest-native', { include_disk_custom: true, input })
      const ready = await client.get<{ custom_content: string; custom_content_since?: string }>(`${service.origin}/readyz`)
      const { text } = await client.get(`${service.origin}/metrics`, { token: METRICS_TOKEN })
      const gauge = (name: string): string => new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? ''
      return {
        ok: body.ok,
        rule: body.rule.id,
        notices: body.diagnostics.map(({ code }) => code).filter((code) => code.startsWith('custom_content')),
        ready: ready.body.custom_content,
        hasSince: ready.body.custom_content_since !== undefined && Number(gauge('custom_content_stale_since_seconds')) > 0,
        gauges: [gauge('custom_content_stale'), gauge('custom_content_left_out')],
      }
    }
    const until = async (expected: object): Promise<void> => {
      for (const deadline = Date.now() + NOTICE_MS; ; await sleep(100)) {
        const found = await told()
        if (isDeepStrictEqual(found, expected)) return
        if (Date.now() > deadline) assert.deepEqual(found, expected)
      }
    }
    await t.test('at the start it is left out, from the first answer on', async () => {
      assert.deepEqual(await told(), { ok: true, rule: '501', notices: ['custom_content_left_out'], ready: 'left_out', hasSince: true, gauges: ['1', '1'] })
      while ((await client.get(`${service.origin}/readyz`)).status !== 200) await sleep(50)
    })
    await t.test('a corrected file is used', async () => {
      writeFileSync(file, RULE)
      await until({ ok: true, rule: '100200', notices: [], ready: 'ok', hasSince: false, gauges: ['0', '0'] })
    })
    await t.test('later the content before it stays in use', async () => {
      writeFileSync(file, broken)
      await until({ ok: true, rule: '100200', notices: ['custom_content_stale'], ready: 'stale', hasSince: true, gauges: ['1', '0'] })
      assert.equal((await client.get(`${service.origin}/readyz`)).status, 200)
    })
  } finally {
    await service.stop('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
  const refusals = service
    .output()
    .split('\n')
    .filter((line) => line.includes('would not start'))
    .map((line) => JSON.parse(line) as { level: string; errors: object[]; at_work: string })
  assert.deepEqual(
    refusals.map(({ level, errors, at_work }) => [level, errors[0], at_work]),
    ['the default ruleset alone', 'the last custom content that loads'].map((at_work) => [
      'error',
      { scope: 'custom', file: 'rules/local_custom.xml', line: 1, code: 'rule_level_invalid' },
      at_work,
    ]),
  )
  assert.doesNotMatch(service.output(), /ninety/)
})

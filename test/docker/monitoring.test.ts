/** The alert rules and the dashboard: they use only metrics of `/metrics`, and no metric is forgotten. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'
import { Client } from '../support/client.js'
import { startServiceProcess } from '../support/service-process.js'

const METRICS_TOKEN = 'a-token-of-thirty-two-characters'
const DOCKER = new URL('../../../docker/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, DOCKER), 'utf8')

/** Metrics without a panel, with the reason. */
const NOT_SHOWN: Readonly<Record<string, string>> = {
  analysis_shared_turns_total: 'useful only for work on the pool',
  process_cpu_user_seconds_total: 'in process_cpu_seconds_total',
  process_cpu_system_seconds_total: 'in process_cpu_seconds_total',
  process_start_time_seconds: 'a date',
  process_virtual_memory_bytes: 'address space, most of which is never touched',
  process_heap_bytes: 'in process_resident_memory_bytes',
  nodejs_eventloop_lag_seconds: 'one sample; the percentiles say more',
  nodejs_eventloop_lag_min_seconds: 'the percentiles say more',
  nodejs_eventloop_lag_max_seconds: 'the percentiles say more',
  nodejs_eventloop_lag_mean_seconds: 'the percentiles say more',
  nodejs_eventloop_lag_stddev_seconds: 'the percentiles say more',
  nodejs_eventloop_lag_p90_seconds: 'between those that are shown',
  nodejs_active_resources: 'useful only for finding leaks',
  nodejs_active_resources_total: 'useful only for finding leaks',
  nodejs_active_handles: 'useful only for finding leaks',
  nodejs_active_handles_total: 'useful only for finding leaks',
  nodejs_active_requests: 'useful only for finding leaks',
  nodejs_active_requests_total: 'useful only for finding leaks',
  nodejs_heap_size_total_bytes: 'what is used of it is shown',
  nodejs_heap_space_size_total_bytes: 'spaces of the heap, which is shown as a whole',
  nodejs_heap_space_size_used_bytes: 'spaces of the heap, which is shown as a whole',
  nodejs_heap_space_size_available_bytes: 'spaces of the heap, which is shown as a whole',
  nodejs_version_info: 'in detection_content_build_info',
}
/** Added by Prometheus. */
const OF_PROMETHEUS = { metrics: ['up'], labels: ['instance', 'job'] } as const

interface Selector {
  readonly metric: string
  readonly labels: readonly string[]
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly description: string }
}

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number }
  readonly targets?: readonly { readonly expr: string }[]
}

/** The selectors of an expression. @throws AssertionError when it cannot be parsed */
function selectorsOf(expression: string): Selector[] {
  // Grafana fills in the interval.
  const text = expression.replaceAll('$__rate_interval', '5m')
  const selectors: { metric: string; labels: string[] }[] = []
  parser.parse(text).iterate({
    enter({ name, type, from, to, node }) {
      assert.ok(!type.isError, `${text}\ndoes not parse at ${from}: ${text.slice(from, from + 20)}`)
      if (name === 'VectorSelector') selectors.push({ metric: text.slice(from, node.getChild('LabelMatchers')?.from ?? to).trim(), labels: [] })
      if (name === 'LabelName' && node.parent?.name !== 'GroupingLabels') selectors.at(-1)?.labels.push(text.slice(from, to))
    },
  })
  return selectors
}

const groups = (parse(read('prometheus-rules.yaml')) as { groups: { name: string; rules: Rule[] }[] }).groups
const rules = groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(read('grafana-dashboard.json')) as { panels: Panel[] }
const panels = dashboard.panels.filter(({ type }) => type !== 'row')
const expressions = [...rules.map(({ expr }) => expr), ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))]

describe('alert rules and dashboard', () => {
  /** Labels by metric; null: no value was measured yet. */
  const metrics = new Map<string, Set<string> | null>()

  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'detection-content-'))
    const service = await startServiceProcess({ NATIVE_SERVICE_DATA_DIR: folder, NATIVE_SERVICE_METRICS_TOKEN: METRICS_TOKEN })
    try {
      const { text } = await new Client(service.origin).get(`${service.origin}/metrics`, { token: METRICS_TOKEN })
      for (const [, name] of text.matchAll(/^# TYPE (\S+)/gm)) metrics.set(name, null)
      for (const [, name, labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
        const base = baseOf(name)
        const known = metrics.get(base) ?? new Set<string>()
        for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label)
        metrics.set(base, known)
      }
    } finally {
      await service.stop('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    }
    assert.ok(metrics.size > 50, String(metrics.size))
  })
  after(() => metrics.clear())

  /** The base name of a histogram's three metrics. */
  function baseOf(name: string): string {
    const base = name.replace(/_(?:bucket|sum|count)$/, '')
    return metrics.has(name) || !metrics.has(base) ? name : base
  }

  test('use existing metrics and labels', () => {
    for (const expression of expressions) {
      const selectors = selectorsOf(expression)
      assert.ok(selectors.length > 0, expression)
      for (const { metric, labels } of selectors) {
        if ((OF_PROMETHEUS.metrics as readonly string[]).includes(metric)) continue
        const known = metrics.get(baseOf(metric))
        assert.notEqual(known, undefined, `${metric} in ${expression}`)
        for (const label of labels)
          assert.ok((OF_PROMETHEUS.labels as readonly string[]).includes(label) || known == null || known.has(label), `${metric}{${label}} in ${expression}`)
      }
    }
  })

  test('show every metric, or the reason for omitting it is listed', () => {
    const shown = new Set(panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => selectorsOf(expr).map(({ metric }) => baseOf(metric)))))
    const names = [...metrics.keys()]
    assert.deepEqual(
      names.filter((name) => !shown.has(name) && !Object.hasOwn(NOT_SHOWN, name)),
      [],
      'neither in a panel of docker/grafana-dashboard.json nor listed as not shown',
    )
    assert.deepEqual(
      Object.keys(NOT_SHOWN).filter((name) => shown.has(name) || !metrics.has(name)),
      [],
      'listed as not shown, but shown, or no metric',
    )
  })

  test('each alert has a unique name, a severity, a summary and a description', () => {
    assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
    for (const { alert, labels, annotations } of rules) {
      assert.match(alert, /^[A-Z]\w+$/)
      assert.ok(['critical', 'warning'].includes(labels.severity), alert)
      assert.ok(annotations.summary.length > 0 && annotations.description.endsWith('.'), alert)
    }
  })

  test('the panels have unique ids and do not overlap', () => {
    assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
    const cells = dashboard.panels.flatMap(({ gridPos: { h, w, x, y } }) => Array.from({ length: h * w }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`))
    assert.equal(new Set(cells).size, cells.length)
    assert.ok(dashboard.panels.every(({ gridPos: { x, w } }) => x + w <= 24))
  })
})

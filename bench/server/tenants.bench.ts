/**
 * Many organizations, each with a small ruleset; few of them send most events (Zipf). Measures how many compiled rulesets a cache of `RULESET_CACHE_MB`
 * holds, its memory, and the speed: `npm run bench -- tenants`, or `node dist/bench/server/tenants.bench.js [organizations] [MB] [seconds]`.
 */
import { pathToFileURL } from 'node:url'
import { createAnalysisPool, type SourceFile } from '#workers'
import { report } from '../report.js'

const ORGANIZATIONS = 10_000
const CACHE_MB = 256
const RULES = 5
const WORKERS = 2
const CALLERS = 32
const EVENT = 'Jan  5 10:11:12 web1 sshd[12]: Failed password for root from 192.0.2.7 port 22 ssh2'
const MB = 1024 * 1024

function ownRules(organization: number): SourceFile[] {
  const rules = Array.from(
    { length: RULES },
    (_, i) =>
      `  <rule id="${100_100 + i}" level="${5 + i}">\n    <if_sid>5760</if_sid>\n    <match>user${organization}-${i}</match>\n    <description>Own rule ${i} of $(srcip).</description>\n  </rule>`,
  )
  return [{ filename: 'local_rules.xml', kind: 'rules', scope: 'adhoc', content: `<group name="organization${organization},">\n${rules.join('\n')}\n</group>` }]
}

/** Returns a function that selects an organization at random: the n-th has a weight of 1/n. */
function zipf(count: number): () => number {
  const sums = new Float64Array(count)
  let sum = 0
  for (let i = 0; i < count; i++) sums[i] = sum += 1 / (i + 1)
  let state = 12_345
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    const wanted = (state / 2_147_483_648) * sum
    let low = 0
    let high = count - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle] < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}

export async function benchTenants(seconds: number, organizations = ORGANIZATIONS, cacheMb = CACHE_MB): Promise<void> {
  const pool = createAnalysisPool({ workers: WORKERS, rulesetCacheMb: cacheMb })
  await pool.ready()
  const base = process.memoryUsage().rss
  const pick = zipf(organizations)
  const rows: (string | number)[][] = []
  for (let round = 1; round <= 4; round++) {
    const before = pool.metrics()
    const until = performance.now() + seconds * 1000
    let count = 0
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        while (performance.now() < until) {
          const organization = pick()
          const outcome = await pool.logtest(
            { ruleset: { files: ownRules(organization) }, input: { event: EVENT, log_format: 'auto' }, trace: false },
            { organization: String(organization) },
          )
          if (outcome.outcome !== 'ok') throw new Error(outcome.outcome)
          outcome.value.release()
          count++
        }
      }),
    )
    const { cacheHits, cacheMisses, cachedRulesets, cachedBytes, replacedThreads } = pool.metrics()
    const hits = cacheHits - before.cacheHits
    const misses = cacheMisses - before.cacheMisses
    const rss = process.memoryUsage().rss
    rows.push([`round ${round}`, count / seconds, (100 * hits) / (hits + misses), cachedRulesets, cachedBytes / MB, (rss - base) / MB, replacedThreads])
  }
  await pool.close()
  report('tenants', {
    title: `${organizations.toLocaleString('en-US')} organizations with ${RULES} rules each (Zipf), ${cacheMb} MB of cache, ${WORKERS} threads, ${CALLERS} callers; ${Math.round(base / MB)} MB resident at the start`,
    columns: ['round', 'events/s', 'hits %', 'cached rulesets', 'estimated MB', 'resident MB more', 'replaced threads'],
    rows,
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [organizations, cacheMb, seconds] = process.argv.slice(2).map(Number)
  await benchTenants(seconds || 10, organizations || ORGANIZATIONS, cacheMb || CACHE_MB)
}

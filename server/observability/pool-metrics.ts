/** The pool counts for itself; here its numbers are put into Prometheus's words when someone asks. */
import { type AnalysisMetrics, BUCKETS_MS, type HistogramReading } from '#workers'
import { metricText } from './metric-text.js'

/** The lines of the pool, each ended. */
export function poolText(metrics: AnalysisMetrics): string {
  const gauge = (name: string, help: string, value: number): string => metricText(name, 'gauge', help, [[name, value]])
  const counter = (name: string, help: string, value: number): string => metricText(name, 'counter', help, [[name, value]])
  return [
    gauge('analysis_threads', 'Analysis threads.', metrics.threads),
    gauge('analysis_tasks_running', 'Tasks that threads are at.', metrics.running),
    gauge('analysis_queue_length', 'Tasks that wait for a thread.', metrics.queueLength),
    gauge('analysis_queue_limit', 'Tasks that may wait; one more is answered 503.', metrics.queueLimit),
    histogram('analysis_wait_seconds', 'Time a task waited for a thread.', metrics.waitMs),
    histogram('analysis_run_seconds', 'Time a task ran.', metrics.runMs),
    metricText(
      'analysis_tasks_total',
      'counter',
      'Tasks by what became of them.',
      Object.entries(metrics.outcomes).map(([outcome, count]) => [`analysis_tasks_total{outcome="${outcome}"}`, count]),
    ),
    counter('analysis_ruleset_cache_hits_total', 'Tasks whose ruleset was compiled already.', metrics.cacheHits),
    counter('analysis_ruleset_cache_misses_total', 'Tasks that compiled their ruleset.', metrics.cacheMisses),
    gauge('analysis_ruleset_cache_bytes', 'Memory of compiled rulesets, over all threads.', metrics.cachedBytes),
    gauge('analysis_rulesets_cached', 'Compiled rulesets, over all threads.', metrics.cachedRulesets),
    counter('analysis_threads_replaced_total', 'Threads that were ended and replaced.', metrics.replacedThreads),
    gauge('analysis_answers_lent', 'Answers in memory of threads that are on their way to callers.', metrics.unreleasedAnswers),
    counter('analysis_shared_turns_total', 'Turns of a thread that ran more than one task.', metrics.sharedBatches),
    gauge('analysis_sessions', 'Logtest sessions that are kept.', metrics.sessions),
    gauge('analysis_sessions_bytes', 'Memory of logtest sessions.', metrics.bytes),
  ].join('')
}

/** Milliseconds that were counted apart become seconds that are counted up. */
function histogram(name: string, help: string, { counts, count, sum }: HistogramReading): string {
  let upTo = 0
  const buckets = counts.map((inBucket, index): [string, number] => {
    upTo += inBucket
    return [`${name}_bucket{le="${index < BUCKETS_MS.length ? BUCKETS_MS[index] / 1000 : '+Inf'}"}`, upTo]
  })
  return metricText(name, 'histogram', help, [...buckets, [`${name}_sum`, sum / 1000], [`${name}_count`, count]])
}

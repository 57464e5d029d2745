/** Metrics of the pool in Prometheus format. The pool counts; this formats its numbers on request. */
import { type AnalysisMetrics, BUCKETS_MS, type HistogramReading } from '#workers'
import { metricText } from './metric-text.js'

/** The lines of the pool, each with a line break. */
export function poolText(metrics: AnalysisMetrics): string {
  const gauge = (name: string, help: string, value: number): string => metricText(name, 'gauge', help, [[name, value]])
  const counter = (name: string, help: string, value: number): string => metricText(name, 'counter', help, [[name, value]])
  return [
    gauge('analysis_threads', 'Analysis threads.', metrics.threads),
    gauge('analysis_tasks_running', 'Tasks that are running.', metrics.running),
    gauge('analysis_queue_length', 'Tasks that wait for a thread.', metrics.queueLength),
    gauge('analysis_queue_limit', 'Maximum number of waiting tasks; further ones get 503.', metrics.queueLimit),
    histogram('analysis_wait_seconds', 'Time a task waited for a thread.', metrics.waitMs),
    histogram('analysis_run_seconds', 'Time a task ran.', metrics.runMs),
    metricText(
      'analysis_tasks_total',
      'counter',
      'Tasks by outcome.',
      Object.entries(metrics.outcomes).map(([outcome, count]) => [`analysis_tasks_total{outcome="${outcome}"}`, count]),
    ),
    counter('analysis_ruleset_cache_hits_total', 'Tasks whose ruleset was in the cache.', metrics.cacheHits),
    counter('analysis_ruleset_cache_misses_total', 'Tasks that compiled their ruleset.', metrics.cacheMisses),
    gauge('analysis_ruleset_cache_bytes', 'Memory of compiled rulesets in all threads.', metrics.cachedBytes),
    gauge('analysis_rulesets_cached', 'Compiled rulesets in all threads.', metrics.cachedRulesets),
    counter('analysis_threads_replaced_total', 'Threads that were terminated and replaced.', metrics.replacedThreads),
    gauge('analysis_answers_lent', 'Results in shared buffers that are not sent yet.', metrics.unreleasedAnswers),
    counter('analysis_shared_turns_total', 'Batches of a thread with more than one task.', metrics.sharedBatches),
    gauge('analysis_sessions', 'Stored logtest sessions.', metrics.sessions),
    gauge('analysis_sessions_bytes', 'Memory of logtest sessions.', metrics.bytes),
  ].join('')
}

/** Converts separate counts in milliseconds to cumulative ones in seconds. */
function histogram(name: string, help: string, { counts, count, sum }: HistogramReading): string {
  let upTo = 0
  const buckets = counts.map((inBucket, index): [string, number] => {
    upTo += inBucket
    return [`${name}_bucket{le="${index < BUCKETS_MS.length ? BUCKETS_MS[index] / 1000 : '+Inf'}"}`, upTo]
  })
  return metricText(name, 'histogram', help, [...buckets, [`${name}_sum`, sum / 1000], [`${name}_count`, count]])
}

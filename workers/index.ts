/** The only door of `workers/`: the pool, and every plain type and code that the server and the command line need of the engine. */
export * from './analysis-pool.js'
export { composeRuleset, readRulesetFolder, REFERENCE_RULESET_DIR } from './content.js'
export type { Failed, Fault, FlatError, Stopped, TaskOutcome, TimedOut, WorkAt } from './failure.js'
export type { HistogramReading } from './histogram.js'
export { BUCKETS_MS } from './histogram.js'
export type { PoolMetrics } from './pool.js'
export type { BatchLine, CatalogAnswer, ExplainAnswer, JsonAnswer, LogtestAnswer, LogtestDigest, LogtestPerformance, Performance, ValidationAnswer, ValidationDigest } from './protocol.js'
export * from './engine-bridge.js'

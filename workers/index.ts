/**
 * The only entry of `workers/`: the pool, and every plain type and code of the engine that the server and the command line need. Functions that compile or run
 * are not exported, because they must run in a thread.
 */
export * from './analysis-pool.js'
export type { CaseOutcome, CasesChunk } from './runs/case-run.js'
export { momentNow, roundMs } from './shared/clock.js'
export { composeRuleset } from './content/compose.js'
export { holdsRuleset, isInRuleset, readRulesetFolder, REFERENCE_RULESET_DIR } from './content/content.js'
export type { Failed, Fault, Stopped, TaskOutcome, TimedOut } from './shared/failure.js'
export { entryCache } from './shared/entry-cache.js'
export type { HistogramReading } from './pool/histogram.js'
export { BUCKETS_MS } from './pool/histogram.js'
export type { Block, BlockAnswer, Cluster, LineFault, ReplayClock, ReplayContent, ReplayThreadData } from './replay/block.js'
export { ARRIVAL_START, ARRIVAL_STEP, BEGINNING_BYTES, EVENT } from './replay/block.js'
export { createOrderWindow, enterWindow, forgetLeft, isWindowFull, leaveWindow, type OrderWindow, type Waiting, WINDOW_EVENTS } from './replay/order-window.js'
export { blocksInOwnThread } from './replay/own-thread.js'
export { ReplayThreads } from './replay/replay-threads.js'
export { auditRules, findWitnesses } from './runs/find-witnesses.js'
export { type GradedItem, gradeInThreads } from './runs/grade-mutants.js'
export type { LineChunk, LineItem, LineSource } from './runs/line-batch.js'
export { answerStopped, countLines, lineAt } from './runs/line-batch.js'
export type { Home, Moved, PeerPools, PortableLines, PortableLogtest, PortableOptions } from './peer-pools.js'
export { HOME_WAIT_MS, HOMES_LIMIT, MOVED } from './peer-pools.js'
export type { RefusedContent, ReloadAnswer } from './content/content-reload.js'
export type { PortableRuleset } from './content/portable-ruleset.js'
export type { CustomContentState, SelectedRuleset } from './content/ruleset-selector.js'
export type { AnalysisRequest, RulesetSelection } from './requests/analysis-request.js'
export { type FormerSession, type Given, type PortableSession, SESSION_TTL_MS, type SessionName } from './sessions/sessions.js'
export { isBlankAt } from './shared/blank-line.js'
export { fromPieces } from './shared/pieces.js'
export type { AnsweredFile, EventTime, Reading, ReadOf } from './reading/read.js'
export type * from './shared/answers.js'
export type { DiskContent } from './shared/protocol.js'
export type * from './pool-requests.js'
export type * from '#engine'
export {
  asIniCase,
  AUDIT_VERDICTS,
  canNeverFire,
  composeFiles,
  DECODER_SORTS,
  DEFAULT_LOCATION,
  detectFormat,
  differencesOf,
  EFFECTS,
  findChange,
  ENGINE_VERSION,
  FILE_KINDS,
  iniLosses,
  iniSection,
  listNameOf,
  listPathOf,
  LOCALES,
  LOG_FORMATS,
  NO_OUTCOME,
  parseIniSuite,
  readNow,
  RULE_SORTS,
  SIGMA_VERDICTS,
} from '#engine-data'

/**
 * The entry of the package for programs: the engine in the caller's own process and thread, without the pool and the service. These exports are public, so an
 * incompatible change needs a new major version. `engine/README.md` describes them; `test/package` runs its examples.
 */
export type {
  AuditRecord,
  BehaviourRecord,
  DiagnosticRecord,
  FileKind,
  FileScope,
  Locale,
  LogFormat,
  LogtestReport,
  OwnBehaviour,
  SigmaRecord,
  TestCase,
  UpgradeFinding,
  WitnessEventRecord,
  WitnessRecord,
} from '#engine'
export type { Compilation, CompileOptions, LogtestEvent, LogtestOptions, RulesetFile } from './library/compile.js'
export { compile, createSession, logtest, readRuleset } from './library/compile.js'
export { Ruleset, Session } from './library/ruleset.js'
export type { DiffEvent, Differences, DiffOptions, GenerateOptions, GuardOptions, RulesOptions, Upgrade } from './library/rules.js'
export { audit, diff, generate, guard, wazuh5 } from './library/rules.js'

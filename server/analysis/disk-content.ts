/** The content of the disk at the start of the service: the default ruleset is checked, and the custom content is loaded and watched. */
import type { AnalysisPool, ContentCheck } from '#workers'
import { type Config, ConfigError, PREFIX } from '../core/config.js'
import type { Log } from '../core/observability/log.js'
import type { ContentStatus } from '../core/observability/metrics.js'
import { ContentWatch } from './watch.js'

/**
 * Loads the custom content before the first request and reloads it when its folder changes. A default ruleset that Wazuh would not start with stops the start,
 * because nothing could be analysed with it. @throws ConfigError
 */
export async function loadContent({ defaultRulesetDir, customContentDir }: Config, pool: AnalysisPool, log: Log): Promise<ContentWatch> {
  // The packaged ruleset is known to load; the operator's has to be checked.
  const checked = defaultRulesetDir === null ? null : await pool.checkContent()
  if (checked?.outcome === 'ok' && !checked.value.loads) throw rulesetRefused(checked.value)
  const watch = new ContentWatch({ directory: customContentDir, pool, log })
  await watch.first
  return watch
}

function rulesetRefused({ errors: [first], errorCount }: ContentCheck): ConfigError {
  const variable = `${PREFIX}DEFAULT_RULESET_DIR`
  if (first === undefined) return new ConfigError('ruleset_refused_whole', { variable })
  const { file, line, code } = first
  return new ConfigError('ruleset_refused', { variable, place: line === null ? file : `${file}:${line}`, code, count: errorCount })
}

/** Returns what the metrics say about the custom content. */
export function contentStatus(watch: ContentWatch, pool: AnalysisPool): ContentStatus {
  const { state, since } = pool.customContent
  return { ...watch.state, isLeftOut: state === 'left_out', since }
}

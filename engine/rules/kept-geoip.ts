/** What an overwrite does not replace: the GeoIP conditions of the first definition (BEHAVIOUR.md#overwriting-rules). */
import type { ReadCondition, RuleDefinition } from './rule.js'

const GEOIP: ReadonlySet<string> = new Set(['srcgeoip', 'dstgeoip'])

/** Wazuh evaluates the GeoIP conditions together with these, and only if the rule has one of them or `check_diff`. */
const TOGETHER: ReadonlySet<string> = new Set(['user', 'hostname', 'status', 'data', 'extra_data', 'srcgeoip', 'dstgeoip', 'time', 'weekday', 'maxsize', 'compiled_rule'])

/** Whether the condition is one that an overwrite keeps. */
export function isGeoip({ kind }: ReadCondition): boolean {
  return GEOIP.has(kind.name)
}

/** The conditions of the first definition that apply to the overwriting one. */
export function keptGeoip({ original, conditions, checkDiff }: RuleDefinition): readonly ReadCondition[] {
  if (original === null) return []
  const kept = original.conditions.filter(isGeoip)
  return checkDiff || conditions.some(({ kind }) => TOGETHER.has(kind.name)) ? kept : []
}

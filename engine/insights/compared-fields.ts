/** The names of what a composite compares, as its rule writes them. */
import { STATIC_FIELDS } from '../event/static-fields.js'
import type { ComparisonKind } from '../match/history.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { SUBJECT_LOCATION, SUBJECT_STATIC, type Subject } from '../rules/condition.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { foldCase, fromByteString } from '../source/byte-string.js'

/** Returns `srcip` for `<same_srcip />`, the content for `<same_field>`; an empty text for no field at all. */
export function comparedName({ fieldNames }: CompiledRuleset, { definition }: CompiledRule, kind: ComparisonKind, of: number): string {
  if (kind === 'same' || kind === 'different') return subjectName(of)
  const written = (kind === 'sameField' ? definition.sameFields : definition.differentFields).find((name) => fieldNames.find(foldCase(name)) === of)
  return fromByteString(written ?? '')
}

function subjectName(of: Subject): string {
  if (of === SUBJECT_LOCATION) return 'location'
  // Only builds with GeoIP have the others.
  return of >= SUBJECT_STATIC ? STATIC_FIELDS[of - SUBJECT_STATIC] : 'geoip'
}

/** The fields that must be equal, and those that must not be; each as a list of quoted names. */
export function comparedNames(ruleset: CompiledRuleset, rule: CompiledRule): { readonly same: string; readonly different: string } {
  const list = (kind: ComparisonKind, places: readonly number[]): string[] => places.map((of) => `"${comparedName(ruleset, rule, kind, of)}"`)
  return {
    same: [...list('same', rule.same), ...list('sameField', rule.sameKeys)].join(', '),
    different: [...list('different', rule.different), ...list('differentField', rule.differentKeys)].join(', '),
  }
}

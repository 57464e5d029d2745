/** The names of what a composite compares, as its rule writes them. */
import { STATIC_FIELDS, STATIC_INDEX, type StaticFieldName } from '../event/static-fields.js'
import type { ComparisonKind } from '../match/history.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { SUBJECT_LOCATION, SUBJECT_STATIC, type Subject } from '../rules/condition.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import type { TracedRun } from './tip.js'

/** Returns `srcip` for `<same_srcip />`, the content for `<same_field>`; an empty text for no field at all. */
export function comparedName({ fieldNames }: CompiledRuleset, { definition }: CompiledRule, kind: ComparisonKind, of: number): string {
  if (kind === 'same' || kind === 'different') return subjectName(of)
  const written = (kind === 'sameField' ? definition.sameFields : definition.differentFields).find((name) => fieldNames.find(foldCase(name)) === of)
  return fromByteString(written ?? '')
}

/** Whether it is the name of a static field. */
export function isStatic(name: string): name is StaticFieldName {
  return Object.hasOwn(STATIC_INDEX, name)
}

function subjectName(of: Subject): string {
  if (of === SUBJECT_LOCATION) return 'location'
  // Only builds with GeoIP have the others.
  return of >= SUBJECT_STATIC ? STATIC_FIELDS[of - SUBJECT_STATIC] : 'geoip'
}

export interface ComparedNames {
  /** Fields that must be equal. */
  readonly same: string
  /** Fields that must not be equal, and that the event has. */
  readonly different: string
  /** Those that it lacks: any other event counts as different there (BEHAVIOUR.md#frequency). */
  readonly absent: string
}

/** What a composite compares, each as a list of quoted names. */
export function comparedNames({ event, runner: { ruleset, evaluator } }: TracedRun, rule: CompiledRule): ComparedNames {
  const list = (kind: ComparisonKind, places: readonly number[]): string => places.map((of) => `"${comparedName(ruleset, rule, kind, of)}"`).join(', ')
  const has = (of: Subject): boolean => evaluator.text(of) !== undefined
  // Without any field, an event is not compared at all.
  const hasField = (key: number): boolean => event.names.length === 0 || event.keys.includes(key)
  // The name of a static field is no field to `different_field`, whether or not the event has it.
  const lacksField = (key: number): boolean => !hasField(key) && !isStatic(comparedName(ruleset, rule, 'differentField', key))
  const joined = (...lists: readonly string[]): string => lists.filter((one) => one !== '').join(', ')
  const { same, sameKeys, different, differentKeys } = rule
  return {
    same: joined(list('same', same), list('sameField', sameKeys)),
    different: joined(list('different', different.filter(has)), list('differentField', differentKeys.filter(hasField))),
    absent: joined(
      list(
        'different',
        different.filter((of) => !has(of)),
      ),
      list('differentField', differentKeys.filter(lacksField)),
    ),
  }
}

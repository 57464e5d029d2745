/** One of the caller's own rules tests a field that the event lacks, and the event has one with a similar name. */
import { suggest } from '../../diagnostics/suggest.js'
import { STATIC_FIELDS } from '../../event/static-fields.js'
import { fromByteString } from '../../source/byte-string.js'
import type { TracedRun } from '../tip.js'
import { defineTip } from '../tip.js'

/** Returns the names of the event's fields. */
function namesOf({ event: { names, statics } }: TracedRun): string[] {
  return [...STATIC_FIELDS.filter((_, index) => statics[index] !== undefined), ...names.map(fromByteString)]
}

/** Returns a name with the same last part (`srcip` for `data.srcip`), or one that differs by a typing error. */
function findNear(wanted: string, known: readonly string[]): string | null {
  const last = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return known.find((name) => name.toLowerCase() !== wanted.toLowerCase() && last(name) === last(wanted)) ?? suggest(wanted, known)
}

export const fieldNameNear = defineTip<{ rule: number; wanted: string; near: string }>({
  id: 'field-name-near',
  applies: (run) => {
    let known: string[] | null = null
    for (const [rule, failure] of run.failures.custom) {
      if (failure.kind !== 'condition' || failure.text !== undefined || failure.condition.field === null) continue
      known ??= namesOf(run)
      const wanted = fromByteString(failure.condition.field)
      const near = findNear(wanted, known)
      if (near !== null) return { rule: rule.id, wanted, near }
    }
    return null
  },
  text: {
    'en-US': ({ rule, wanted, near }) => `Rule ${rule} requires the field "${wanted}", which this event does not have. It does have "${near}".`,
    'pt-BR': ({ rule, wanted, near }) => `A regra ${rule} exige o campo "${wanted}", que este evento não tem. Mas ele tem "${near}".`,
  },
})

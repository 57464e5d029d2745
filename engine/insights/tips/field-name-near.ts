/** One of the caller's own rules tests a field that the event lacks, and the event has one with a similar name. */
import { fromByteString } from '../../source/byte-string.js'
import { explainAbsence } from '../absent-field.js'
import { defineTip } from '../tip.js'

export const fieldNameNear = defineTip<{ rule: number; wanted: string; near: string }>({
  id: 'field-name-near',
  isOfOwnContent: true,
  applies: (run) => {
    for (const { rule, failure } of run.near?.failures ?? []) {
      // The hint about the nearest rule says it.
      if (failure.kind !== 'condition' || failure.text !== undefined || failure.condition.field === null || run.near?.rule?.rule === rule) continue
      const wanted = fromByteString(failure.condition.field)
      const absence = explainAbsence(run, wanted)
      if (absence?.kind === 'near') return { rule: rule.id, wanted, near: absence.field }
    }
    return null
  },
  text: {
    'en-US': ({ rule, wanted, near }) => `Your rule ${rule} requires the field "${wanted}", which this event does not have. It does have "${near}".`,
    'pt-BR': ({ rule, wanted, near }) => `A sua regra ${rule} exige o campo "${wanted}", que este evento não tem. Mas ele tem "${near}".`,
  },
})

/** The description names a field that the event lacks, so its place in the text is empty. */
import { fromByteString } from '../../source/byte-string.js'
import { ABSENCE_WORDS, type Absence, explainAbsence } from '../absent-field.js'
import { defineTip } from '../tip.js'

export const descriptionFieldAbsent = defineTip<{ rule: number; fields: string; absence: Absence | null }>({
  id: 'description-field-absent',
  applies: (run) => {
    const { rule } = run.outcome
    if (rule === null) return null
    const { evaluator } = run.runner
    let absent: Set<string> | null = null
    for (const piece of rule.description) {
      if (typeof piece === 'string' || (piece.subject !== null && evaluator.text(piece.subject) !== undefined)) continue
      absent ??= new Set()
      absent.add(fromByteString(piece.name))
    }
    if (absent === null) return null
    // Many descriptions of the base name fields that only some events have.
    const absence = run.near?.own.isOwn(rule) === true ? explainAbsence(run, [...absent][0]) : null
    return { rule: rule.id, fields: [...absent].join(', '), absence }
  },
  text: {
    'en-US': ({ rule, fields, absence }) =>
      `The description of rule ${rule} names fields that this event does not have, and shows nothing in their place: ${fields}.${ABSENCE_WORDS['en-US'](absence)}`,
    'pt-BR': ({ rule, fields, absence }) =>
      `A descrição da regra ${rule} cita campos que este evento não tem e não mostra nada no lugar deles: ${fields}.${ABSENCE_WORDS['pt-BR'](absence)}`,
  },
})

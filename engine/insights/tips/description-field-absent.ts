/** The description names a field that the event lacks, so its place in the text is empty. */
import { fromByteString } from '../../source/byte-string.js'
import { defineTip } from '../tip.js'

export const descriptionFieldAbsent = defineTip<{ rule: number; fields: string }>({
  id: 'description-field-absent',
  applies: ({ outcome: { rule }, runner: { evaluator } }) => {
    if (rule === null) return null
    let absent: Set<string> | null = null
    for (const piece of rule.description) {
      if (typeof piece === 'string' || (piece.subject !== null && evaluator.text(piece.subject) !== undefined)) continue
      absent ??= new Set()
      absent.add(fromByteString(piece.name))
    }
    return absent === null ? null : { rule: rule.id, fields: [...absent].join(', ') }
  },
  text: {
    'en-US': ({ rule, fields }) => `The description of rule ${rule} names fields that this event does not have, and shows nothing in their place: ${fields}.`,
    'pt-BR': ({ rule, fields }) => `A descrição da regra ${rule} cita campos que este evento não tem e não mostra nada no lugar deles: ${fields}.`,
  },
})
